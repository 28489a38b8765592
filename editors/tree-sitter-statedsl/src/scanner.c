/*
 * What a grammar of single characters cannot tell: blocks by indentation, verbs where a line or an action begins, texts of
 * a shell up to their end, and the values in them. A text is given in pieces, and a piece may end anywhere: a decision
 * that needs what follows marks the end of its token first and then looks ahead.
 */
#include "tree_sitter/parser.h"
#include <stdlib.h>
#include <string.h>

enum Token {
  NEWLINE, INDENT, DEDENT, COMMENT,
  V_HEAD, V_NAMED, V_TRANSFER, V_LOOP, V_CONDITION, V_BRANCH, V_FAILURE, V_DO, V_CALL, V_TEXT, V_FAIL, V_WAIT, V_EMIT, V_LIMIT,
  V_ASK, V_IMPORT, V_BARE, V_STEP,
  S_CONTEXT, S_PROMPT, S_OPTIONS, S_AGENT, S_WORKFLOW, S_GATE, S_RETRY,
  COLON, TIMEOUT, ARROW, NEXT_ACTION,
  PIPE, OPTIONS_OPEN, ARGV_OPEN, BINDING, CAPTURE, TASK, PARALLEL_HEAD,
  SHELL_PIECE, BLOCK_PIECE, TEXT_PIECE, VALUE_PIECE, DOUBLE_PIECE, SINGLE_PIECE, INTERPOLATION_OPEN, NOTE, BLANK,
  ERROR_SENTINEL
};

enum { DEEPEST = 200, LOOK_AHEAD = 4096, VERB_SPACE = 16 };

/* The verbs, and whether an action of a list can begin with one. */
static const struct { const char *word; enum Token token; bool action; } verbs[] = {
  {"MACHINE", V_HEAD, false}, {"STATE", V_HEAD, false}, {"PATTERN", V_HEAD, false},
  {"INPUT", V_NAMED, false}, {"TOOL", V_NAMED, false}, {"TRACK", V_NAMED, true}, {"SET", V_NAMED, true},
  {"INCREMENT", V_NAMED, true}, {"GOTO", V_TRANSFER, true}, {"USE", V_TRANSFER, true},
  {"FOR EACH", V_LOOP, true}, {"IF", V_CONDITION, true}, {"ELSE IF", V_CONDITION, false},
  {"ELSE", V_BRANCH, false}, {"DEFAULT", V_BRANCH, false}, {"ON ERROR", V_FAILURE, false},
  {"DO", V_DO, true}, {"CHECK", V_DO, true}, {"UNDO", V_DO, true}, {"CALL", V_CALL, true}, {"PLAN", V_CALL, true},
  {"RETURN", V_TEXT, true}, {"TITLE", V_TEXT, false}, {"KEY", V_TEXT, false}, {"FAIL", V_FAIL, true},
  {"WAIT", V_WAIT, true}, {"EMIT", V_EMIT, true}, {"LIMIT", V_LIMIT, false}, {"ASK", V_ASK, true},
  {"IMPORT", V_IMPORT, false}, {"PROCEED", V_BARE, true}, {"ROLLBACK", V_BARE, true}, {"KEEP", V_BARE, true},
  {"STEP", V_STEP, false}, {"CONTEXT", S_CONTEXT, false}, {"PROMPT", S_PROMPT, false}, {"SESSION", S_OPTIONS, false},
  {"EACH", S_OPTIONS, false}, {"AGENT", S_AGENT, false}, {"WORKFLOW", S_WORKFLOW, false}, {"GATE", S_GATE, false},
  {"RETRY", S_RETRY, false},
};
enum { VERBS = sizeof verbs / sizeof *verbs };

typedef struct {
  uint16_t levels[DEEPEST];
  uint16_t depth;        /* how many levels */
  uint8_t verb;          /* index of the verb of this action, plus one */
  uint8_t in_list;       /* after an arrow */
  uint8_t fresh;         /* at the beginning of a line (1), or behind a comment that is a line (2) */
  uint8_t in_text;       /* between the pieces of a text (1), a block (2), or the words of a group (3) */
  uint8_t quote;         /* open quote of a shell text */
  uint16_t brackets;     /* open brackets of a text */
} Scanner;

typedef TSLexer Lexer;

static void step(Lexer *l) { l->advance(l, false); }
static void skip(Lexer *l) { l->advance(l, true); }
static bool is_blank(int32_t c) { return c == ' ' || c == '\t' || c == '\r' || c == 0xFEFF; }
static bool is_letter(int32_t c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
static bool is_digit(int32_t c) { return c >= '0' && c <= '9'; }
static bool is_word(int32_t c) { return is_letter(c) || is_digit(c); }
static bool at_end(Lexer *l) { return l->eof(l); }
static bool line_ends(Lexer *l) { return l->lookahead == '\n' || at_end(l); }

/* What follows, as text. Lines that a backslash joins are one. */
typedef struct { int32_t at[LOOK_AHEAD]; int length; } Ahead;

static void look(Lexer *l, Ahead *a, bool joined) {
  a->length = 0;
  while (a->length < LOOK_AHEAD - 1 && !at_end(l)) {
    if (l->lookahead == '\n') {
      int back = a->length;
      while (back > 0 && is_blank(a->at[back - 1])) back--;
      if (!joined || back == 0 || a->at[back - 1] != '\\') break;
      a->length = back - 1;
      a->at[a->length++] = ' ';
    } else a->at[a->length++] = l->lookahead;
    step(l);
  }
  a->at[a->length] = 0;
}

static int blanks(const Ahead *a, int at) { while (is_blank(a->at[at])) at++; return at; }
static int word_end(const Ahead *a, int at) {
  if (!is_letter(a->at[at])) return at;
  while (is_word(a->at[at])) at++;
  return at;
}

/* The offset after the bracket that closes the one at `at`, or -1. */
static int balanced(const Ahead *a, int at) {
  int depth = 0;
  for (; at < a->length; at++) {
    int32_t c = a->at[at];
    if (c == '"' || c == '\'') {
      int32_t quote = c;
      for (at++; at < a->length && a->at[at] != quote; at++) if (a->at[at] == '\\' && quote == '"') at++;
      if (at >= a->length) return -1;
    } else if (c == '(' || c == '[' || c == '{') depth++;
    else if ((c == ')' || c == ']' || c == '}') && --depth == 0) return at + 1;
  }
  return -1;
}

/* Whether what follows an opened brace makes it a value: a path, a call, a data reference or a key of a step. */
static bool is_value(Ahead *a) {
  int at = 0;
  int32_t *c = a->at;
  bool indexed = false;
  if (c[0] == 0x2020) {
    if (!is_letter(c[1]) && c[1] < 128) return false;
  } else if (is_letter(c[0])) {
    at = word_end(a, 0);
    for (;;) {
      if (c[at] == '.' && is_letter(c[at + 1])) at = word_end(a, at + 1);
      else if (c[at] == '?') at++;
      else if (c[at] == '[' && is_digit(c[at + 1])) {
        int end = at + 1;
        while (is_digit(c[end])) end++;
        if (c[end] != ']') break;
        at = end + 1;
        indexed = true;
      } else break;
    }
    int end = at;
    if (c[end] == '*') end++;
    if (c[end] == ':' && is_letter(c[end + 1])) end = word_end(a, end + 1);
    if (c[end] == '}') return true;
  }
  if (c[0] == 0x2020 || (is_letter(c[0]) && (indexed || c[at] == '(' || c[at] == '['))) {
    if (a->length >= LOOK_AHEAD - 1) return false;
    memmove(c + 1, c, (a->length + 1) * sizeof *c);
    a->length++;
    c[0] = '{';
    return balanced(a, 0) > 0;
  }
  /* `{step/part.key.sub}`: words, a slash between them, and one dot. */
  if (!is_word(c[0])) return false;
  bool dotted = false;
  for (at = 0; is_word(c[at]) || c[at] == '-' || c[at] == '/' || c[at] == '.' || (c[at] == ' ' && !dotted); at++)
    if (c[at] == '.') dotted = dotted || is_letter(c[at + 1]);
  if (c[at] == ':' && is_letter(c[at + 1])) at = word_end(a, at + 1);
  return dotted && c[at] == '}';
}

static int reads(const Ahead *a, int at, const char *word) {
  for (; *word; word++) {
    if (*word == ' ') {
      if (!is_blank(a->at[at])) return -1;
      at = blanks(a, at);
    } else if (a->at[at++] != *word) return -1;
  }
  return is_word(a->at[at]) ? -1 : at;
}

/* Whether the verb of an action follows: there a command before a comma ends. */
static bool action_follows(const Ahead *a, int at) {
  at = blanks(a, at);
  for (int i = 0; i < VERBS; i++) {
    if (!verbs[i].action) continue;
    int end = reads(a, at, verbs[i].word);
    if (end < 0) continue;
    int32_t c = a->at[end];
    if (c == '.' || c == '(' || c == '/' || c == '=' || c == '-') continue;
    int next = blanks(a, end);
    if (a->at[next] == '=' && a->at[next + 1] != '=') continue;
    return true;
  }
  return false;
}

static bool assigns(const Ahead *a, int at) {
  at = blanks(a, at);
  if (a->at[at] == '[') at = blanks(a, at + 1);
  int end = word_end(a, at);
  if (end == at) return false;
  end = blanks(a, end);
  return a->at[end] == '=' && a->at[end + 1] != '=';
}

static bool verb_is(const Scanner *s, const char *word) {
  return s->verb > 0 && strcmp(verbs[s->verb - 1].word, word) == 0;
}

static enum Token verb_kind(const Scanner *s) { return s->verb > 0 ? verbs[s->verb - 1].token : V_DO; }

/* Whether a comma ends the action of a list. Its end is behind the comma, and `a` is what follows. */
static bool comma_ends(const Scanner *s, const Ahead *a) {
  switch (verb_kind(s)) {
    case V_DO: case V_TRANSFER: case V_LOOP: case V_CALL: return action_follows(a, 0);
    case V_EMIT: return action_follows(a, 0) || !assigns(a, 0);
    case V_FAIL: return action_follows(a, 0) || !assigns(a, 0);
    default: return true;
  }
}

static bool ended(Scanner *s) { s->in_text = 0; s->quote = 0; s->brackets = 0; return true; }

static bool give(Lexer *l, enum Token token) { l->result_symbol = token; return true; }

/* `{` where a value may begin: the value, or else a piece of the text. */
static bool brace(Lexer *l, enum Token piece) {
  Ahead a;
  step(l);
  l->mark_end(l);
  look(l, &a, false);
  return give(l, is_value(&a) ? INTERPOLATION_OPEN : piece);
}

static bool string_piece(Lexer *l, int32_t quote, enum Token piece) {
  if (l->lookahead == '{') return brace(l, piece);
  bool any = false;
  while (!at_end(l) && l->lookahead != quote && l->lookahead != '{') {
    if (l->lookahead == '\n') break;
    if (l->lookahead == '\\' && quote == '"') {
      step(l);
      if (l->lookahead == '\r') step(l);
      if (at_end(l)) break;
    }
    step(l);
    any = true;
  }
  l->mark_end(l);
  return any && give(l, piece);
}

/* The value of an option, up to a space. In that of an event, brackets may hold spaces. */
static bool value_piece(Scanner *s, Lexer *l, const bool *valid) {
  bool any = false;
  int depth = s->brackets;
  for (; !line_ends(l); any = true) {
    int32_t c = l->lookahead;
    if (is_blank(c) && depth == 0) break;
    if (depth > 0) {
      if (c == '(' || c == '[' || c == '{') depth++;
      if (c == ')' || c == ']' || c == '}') depth--;
      step(l);
    } else if (c == '{' || ((c == '[' || c == '(') && verb_is(s, "EMIT"))) {
      if (any) break;
      Ahead a;
      step(l);
      l->mark_end(l);
      look(l, &a, false);
      if (c == '{' && is_value(&a)) return give(l, INTERPOLATION_OPEN);
      if (verb_is(s, "EMIT") && a.length < LOOK_AHEAD - 2) {
        if (a.at[0] != '{' || c != '{') memmove(a.at + 1, a.at, (a.length + 1) * sizeof *a.at);
        a.at[0] = c;
        a.length++;
        s->brackets = balanced(&a, 0) > 0;
      }
      return give(l, VALUE_PIECE);
    } else if (c == '"') {
      if (!any && !verb_is(s, "ASK")) return false;
      step(l);
      while (!line_ends(l) && l->lookahead != '"') { if (l->lookahead == '\\') step(l); step(l); }
      if (!line_ends(l)) step(l);
    } else if (c == '\'' && !any) return false;
    else if (c == '[' || c == '(') { depth++; step(l); }
    else if (c == ']' || c == ')') break;
    else if (c == ',') {
      if (any) break;
      step(l);
      l->mark_end(l);
      Ahead a;
      look(l, &a, true);
      enum Token kind = verb_kind(s);
      if (valid[NEXT_ACTION] && s->in_list && comma_ends(s, &a)) return ended(s) && give(l, NEXT_ACTION);
      bool stops = is_blank(a.at[0]) || a.length == 0 || kind == V_STEP || (kind >= S_CONTEXT && kind <= S_RETRY) ||
                   (kind == V_EMIT && assigns(&a, 0));
      return !stops && give(l, VALUE_PIECE);
    } else if (c == ':' || c == '\\') {
      if (any) break;
      step(l);
      l->mark_end(l);
      if (is_blank(l->lookahead) || line_ends(l)) return false;
      return give(l, VALUE_PIECE);
    } else step(l);
    l->mark_end(l);
  }
  s->brackets = 0;
  return any && give(l, VALUE_PIECE);
}

/* A piece of text up to the end of the line, of an action, or up to a value. `is_shell`: quotes and escapes count. */
static bool text_piece(Scanner *s, Lexer *l, bool is_shell, bool in_verb, bool *passed) {
  enum Token piece = is_shell ? SHELL_PIECE : TEXT_PIECE;
  bool any = false;
  for (;;) {
    int spaces = 0;
    while (is_blank(l->lookahead) && !at_end(l)) {
      if (any) step(l); else skip(l);
      if (l->lookahead != '\r') spaces++;
    }
    if (line_ends(l)) break;
    int32_t c = l->lookahead;
    if (!is_shell && spaces > 0 && c == 'w' && verb_is(s, "FAIL") && s->quote == 0) {
      if (any) break;
      step(l);
      l->mark_end(l);
      Ahead a;
      look(l, &a, true);
      int end = reads(&a, 0, "ith");
      *passed = true;
      if (end > 0 && is_blank(a.at[end]) && assigns(&a, end)) return false;
      s->in_text = 1;
      return give(l, piece);
    }
    if (!is_shell && c == '#' && spaces >= 2 && any) {
      step(l);
      if (is_blank(l->lookahead) || line_ends(l)) break;
      l->mark_end(l);
      continue;
    }
    if (c == '{') {
      if (any) break;
      s->in_text = 1;
      if (!brace(l, piece)) return false;
      if (l->result_symbol == piece && s->quote == 0) s->brackets++;
      return true;
    }
    if (c == ',' && s->in_list && s->brackets == 0 && s->quote == 0) {
      if (any) break;
      step(l);
      l->mark_end(l);
      Ahead a;
      look(l, &a, true);
      if (is_shell ? action_follows(&a, 0) : (!verb_is(s, "FAIL") || !in_verb || !s->in_text || comma_ends(s, &a)))
        return ended(s) && give(l, NEXT_ACTION);
      s->in_text = 1;
      return give(l, piece);
    }
    if (c == '\\') {
      step(l);
      if (l->lookahead == '\r') step(l);
      if (l->lookahead == '\n') { step(l); any = true; l->mark_end(l); continue; }
      if (is_shell && s->quote != '\'' && !line_ends(l) && l->lookahead != '{') step(l);
    } else {
      if (is_shell && c == '$') {
        step(l);
        if (l->lookahead == '{') { step(l); if (s->quote == 0) s->brackets++; }
        any = true;
        l->mark_end(l);
        continue;
      }
      if (s->quote != 0) { if (c == s->quote) s->quote = 0; }
      else if (c == '"' || (is_shell && c == '\'')) s->quote = (uint8_t)c;
      else if (c == '(' || c == '[') s->brackets++;
      else if ((c == ')' || c == ']' || c == '}') && s->brackets > 0) s->brackets--;
      step(l);
    }
    any = true;
    l->mark_end(l);
  }
  if (any) s->in_text = 1;
  return any && give(l, piece);
}

/* Lines below, indented deeper: a script or a prompt. */
static bool block_piece(Scanner *s, Lexer *l, bool is_start, bool passes_comments) {
  uint16_t level = s->levels[s->depth - 1];
  bool any = false;
  if (!is_start && l->lookahead == '{') { if (!brace(l, BLOCK_PIECE)) return false; s->in_text = 2; return true; }
  for (;;) {
    if (line_ends(l)) {
      if (at_end(l)) break;
      step(l);
      if (!any) l->mark_end(l);
      uint16_t column = 0;
      while (is_blank(l->lookahead) && !at_end(l)) { column += l->lookahead == '\t' ? 2 : l->lookahead == ' '; step(l); }
      if (line_ends(l)) continue;
      if (column <= level) {
        if (!passes_comments || l->lookahead != '#') break;
        while (!line_ends(l)) step(l);
        continue;
      }
      if (l->lookahead == '{') { if (!any) { l->mark_end(l); any = true; } else l->mark_end(l); break; }
    } else if (l->lookahead == '{') {
      if (any) break;
      if (!brace(l, BLOCK_PIECE)) return false;
      s->in_text = 2;
      return true;
    }
    bool blank = is_blank(l->lookahead);
    bool dollar = passes_comments && l->lookahead == '$';
    step(l);
    if (dollar && l->lookahead == '{') step(l);
    if (!blank) { any = true; l->mark_end(l); }
    else if (!line_ends(l) && l->lookahead == '{') { any = true; l->mark_end(l); break; }
  }
  s->in_text = any ? 2 : 0;
  return any && give(l, BLOCK_PIECE);
}

/* `# …`: at the beginning of a line, or after two spaces. */
static bool comment(Lexer *l) {
  while (!line_ends(l)) step(l);
  l->mark_end(l);
  return give(l, COMMENT);
}

/* Whether the rest of a DO begins a group: `words in PARALLEL`, with nothing but options behind. */
static bool is_parallel(const int32_t *first, int first_length, const Ahead *a) {
  int at = 0, end = -1;
  bool first_in = first_length == 2 && (first[0] | 32) == 'i' && (first[1] | 32) == 'n';
  for (; at < a->length && end < 0; at++) {
    int32_t c = a->at[at];
    if (c == '"' || c == '\'' || c == '`' || c == '|' || c == ';' || c == '&' || c == '<' || c == '>' || c == '$' || c == '=' ||
        c == '[' || c == ']' || c == '{' || c == '}')
      return false;
    if (reads(a, at, "PARALLEL") < 0) continue;
    int back = at;
    while (back > 0 && is_blank(a->at[back - 1])) back--;
    if (back == at) continue;
    if ((back == 0 && first_in) || (back >= 2 && a->at[back - 1] == 'n' && a->at[back - 2] == 'i' && (back == 2 || !is_word(a->at[back - 3]))))
      end = at + 8;
  }
  while (end >= 0 && end < a->length) {
    int32_t c = a->at[end];
    if (is_blank(c)) {
      if (a->at[end + 1] == ' ' && a->at[end + 2] == '#') return true;
      end++;
    } else if (c == ':') return blanks(a, end + 1) >= a->length || a->at[blanks(a, end + 1)] == '#';
    else if (c == '[' || c == '(') {
      int32_t close = c == '[' ? ']' : ')';
      while (end < a->length && a->at[end] != close) end++;
      if (end >= a->length) return false;
      end++;
    } else if (is_letter(c)) {
      end = word_end(a, end);
      if (a->at[end] != '=') return false;
      while (end < a->length && !is_blank(a->at[end]) && a->at[end] != ':') end++;
    } else return false;
  }
  return end >= 0;
}

/* Whether an operator follows the list whose bracket was opened: then it is a value. */
static bool is_operand(Ahead *a) {
  if (a->length >= LOOK_AHEAD - 1) return false;
  memmove(a->at + 1, a->at, (a->length + 1) * sizeof *a->at);
  a->at[0] = '[';
  a->length++;
  int end = balanced(a, 0);
  if (end < 0) return false;
  end = blanks(a, end);
  static const char *const words[] = {"AND", "OR", "in", "is", "not", "contains", "exists"};
  for (int i = 0; i < 7; i++) if (reads(a, end, words[i]) > 0) return true;
  int32_t c = a->at[end];
  return c > 0 && c < 128 && strchr("-+*/%<>=!.?[", (int)c) != NULL;
}

/* Whether `=$(…)` follows, and nothing behind it. */
static bool is_capture(const Scanner *s, Ahead *a) {
  if (a->at[0] != '=' || a->at[1] != '$' || a->at[2] != '(') return false;
  int end = balanced(a, 2);
  if (end < 0) return false;
  end = blanks(a, end);
  if (end >= a->length) return true;
  if (!s->in_list || a->at[end] != ',') return false;
  Ahead rest;
  rest.length = a->length - end - 1;
  memcpy(rest.at, a->at + end + 1, (rest.length + 1) * sizeof *a->at);
  return action_follows(&rest, 0);
}

static bool same_letters(const char *word, const char *small) {
  for (; *word && (*word | 32) == *small; word++) small++;
  return *word == 0 && *small == 0;
}

/* What begins with a word: a verb, the name of a result, an agent, a group, or the first piece of a command. */
static bool word_token(Scanner *s, Lexer *l, const bool *valid) {
  int32_t word[VERB_SPACE] = {0};
  char plain[2 * VERB_SPACE] = {0};
  int length = 0;
  bool is_line = valid[V_STEP];
  while (is_word(l->lookahead)) {
    if (length < VERB_SPACE - 1) { plain[length] = (char)l->lookahead; word[length] = l->lookahead; }
    length++;
    step(l);
  }
  l->mark_end(l);
  if (length >= VERB_SPACE) plain[0] = 0;
  if (valid[TIMEOUT]) {
    while (is_blank(l->lookahead)) step(l);
    if (strcmp(plain, "timeout") != 0 || l->lookahead != '=') return false;
    step(l);
    if (l->lookahead == '=') return false;
    while (is_blank(l->lookahead)) step(l);
    l->mark_end(l);
    return give(l, TIMEOUT);
  }
  const char *second = strcmp(plain, "FOR") == 0 ? "EACH" : strcmp(plain, "ON") == 0 ? "ERROR" : strcmp(plain, "ELSE") == 0 ? "IF" : NULL;
  if (valid[V_LOOP] && same_letters(plain, "for") && second == NULL) second = "each";
  Ahead a;
  a.length = 0;
  if (second != NULL) {
    int32_t read[2 * VERB_SPACE];
    int count = 0;
    while (is_blank(l->lookahead) && count < VERB_SPACE) { read[count++] = l->lookahead; step(l); }
    int from = count;
    while (is_word(l->lookahead) && count < 2 * VERB_SPACE - 1) { read[count++] = l->lookahead; step(l); }
    bool same = count - from == (int)strlen(second) && from > 0;
    for (int i = from; same && i < count; i++) same = read[i] == second[i - from] || (second[0] == 'e' && (read[i] | 32) == second[i - from]);
    if (same) {
      l->mark_end(l);
      look(l, &a, true);
      bool small = second[0] == 'e';
      int name = blanks(&a, a.at[blanks(&a, 0)] == ':' ? blanks(&a, 0) + 1 : 0);
      int relation = blanks(&a, word_end(&a, name));
      if (small && (a.at[relation] | 32) == 'i' && (a.at[relation + 1] | 32) == 'n') strcpy(plain, "FOR EACH");
      else if (!small) { plain[length] = ' '; strcpy(plain + length + 1, second); }
    } else {
      look(l, &a, true);
      if (a.length + count < LOOK_AHEAD - 1) {
        memmove(a.at + count, a.at, (a.length + 1) * sizeof *a.at);
        memcpy(a.at, read, count * sizeof *read);
        a.length += count;
      }
    }
  } else look(l, &a, true);

  if (valid[V_LOOP] && same_letters(plain, "foreach")) strcpy(plain, "FOR EACH");
  int at = blanks(&a, 0);
  int32_t c = a.at[at];
  bool stands = c == 0 || c == ':' || c == '[' || c == ',' || c == 0x2192 || c == '"' || c == '\'' || c == '\\' ||
                (c == '-' && a.at[at + 1] == '>') || (at > 0 && !(c == '=' && a.at[at + 1] != '='));
  for (int i = 0; stands && plain[0] != 0 && i < VERBS; i++) {
    enum Token kind = verbs[i].token;
    if (!valid[kind] || strcmp(verbs[i].word, plain) != 0 || (!is_line && kind < S_CONTEXT && !verbs[i].action)) continue;
    /* After `DO:` only loops and calls are more than words of a command. */
    bool inside = !is_line && valid[SHELL_PIECE] && valid[OPTIONS_OPEN];
    if (inside && !(kind == V_LOOP ? verb_is(s, "DO") : verb_is(s, "UNDO"))) continue;
    s->verb = (uint8_t)(i + 1);
    ended(s);
    if (kind == V_BRANCH || kind == V_FAILURE) s->in_list = 1;
    return give(l, kind);
  }
  if (valid[TASK] && strcmp(plain, "Task") == 0 && a.at[0] == '(') return give(l, TASK);
  if (valid[BINDING] && a.at[0] != 0 && at > 0 && c == '=' && (is_blank(a.at[at + 1]) || a.at[at + 1] == 0)) return give(l, BINDING);
  if (valid[CAPTURE] && is_capture(s, &a)) return give(l, CAPTURE);
  if (valid[PARALLEL_HEAD] && verb_is(s, "DO") && is_parallel(word, length, &a)) { s->in_text = 3; return give(l, PARALLEL_HEAD); }
  if (valid[SHELL_PIECE]) { s->in_text = 1; return give(l, SHELL_PIECE); }
  /* The kind of an ON ERROR. */
  if (valid[ARROW] && verb_is(s, "ON ERROR") && (c == ':' || c == 0x2192 || (c == '-' && a.at[at + 1] == '>'))) return false;
  if (valid[TEXT_PIECE]) { s->in_text = 1; return give(l, TEXT_PIECE); }
  return false;
}

static bool note(Scanner *s, Lexer *l, int spaces) {
  if (!(verb_is(s, "STATE") || verb_is(s, "TRACK") || verb_is(s, "WAIT") || verb_is(s, "GOTO") || verb_is(s, "INPUT") ||
        verb_is(s, "FOR EACH") || verb_is(s, "DO")))
    return false;
  if (spaces == 0 && !verb_is(s, "STATE") && !verb_is(s, "GOTO")) return false;
  int depth = 0;
  int words = 0;
  do {
    if (line_ends(l)) return false;
    if (l->lookahead == '(') depth++;
    if (l->lookahead == ')') depth--;
    /* `GOTO: A(x=1)` gives a value. */
    if (verb_is(s, "GOTO") && l->lookahead == '=' && words == 0) return false;
    if (!is_word(l->lookahead) && l->lookahead != '(') words++;
    step(l);
  } while (depth > 0);
  l->mark_end(l);
  Ahead a;
  look(l, &a, true);
  int at = blanks(&a, 0);
  if (a.at[at] == ':') at = blanks(&a, at + 1);
  if (a.at[at] == 0 || a.at[at] == '(' || a.at[at] == '[' || a.at[at] == '#' || a.at[at] == '\\') return give(l, NOTE);
  if (!s->in_list || a.at[0] != ',') return false;
  memmove(a.at, a.at + 1, a.length * sizeof *a.at);
  a.length--;
  return action_follows(&a, 0) && give(l, NOTE);
}

static bool layout(Scanner *s, Lexer *l, const bool *valid, bool *done) {
  uint16_t column = 0;
  bool any = false;
  l->mark_end(l);
  for (;; skip(l), any = true) {
    if (at_end(l)) { column = 0; break; }
    if (l->lookahead == '\n') column = 0;
    else if (l->lookahead == ' ') column++;
    else if (l->lookahead == '\t') column += 2;
    else if (!is_blank(l->lookahead)) break;
  }
  *done = true;
  if (l->lookahead == '#' && !at_end(l)) { s->fresh = 2; return comment(l); }
  uint16_t top = s->levels[s->depth - 1];
  if (column > top && valid[INDENT] && s->depth < DEEPEST) {
    s->levels[s->depth++] = column;
    return give(l, INDENT);
  }
  if (s->depth > 1 && column < top && s->levels[s->depth - 2] >= column && valid[DEDENT]) {
    s->depth--;
    return give(l, DEDENT);
  }
  /* Blank lines at the end of the file are no part of a line. */
  if (at_end(l)) { l->mark_end(l); return any && give(l, BLANK); }
  *done = false;
  return false;
}

static bool new_line(Scanner *s, Lexer *l) {
  s->in_list = 0;
  s->verb = 0;
  return ended(s) && give(l, NEWLINE);
}

static bool scan(Scanner *s, Lexer *l, const bool *valid) {
  if (valid[ERROR_SENTINEL]) return false;
  if (valid[DOUBLE_PIECE]) return string_piece(l, '"', DOUBLE_PIECE);
  if (valid[SINGLE_PIECE]) return string_piece(l, '\'', SINGLE_PIECE);
  if (s->in_text == 2 && valid[BLOCK_PIECE]) {
    bool ends = line_ends(l) || l->lookahead == '\r';
    if (l->lookahead == '\r') step(l);
    if (block_piece(s, l, false, verb_kind(s) == V_DO)) return true;
    return ends && valid[NEWLINE] && new_line(s, l);
  }
  if (s->in_text == 3 && valid[PARALLEL_HEAD]) {
    const char *word = "PARALLEL";
    int matched = 0;
    while (!line_ends(l) && matched < 8) {
      matched = l->lookahead == word[matched] ? matched + 1 : l->lookahead == 'P' ? 1 : 0;
      step(l);
    }
    l->mark_end(l);
    s->in_text = 0;
    return give(l, PARALLEL_HEAD);
  }
  if (s->in_text == 1 && (valid[SHELL_PIECE] || valid[TEXT_PIECE])) {
    bool passed = false;
    if (text_piece(s, l, valid[SHELL_PIECE], true, &passed)) return true;
    if (passed || !line_ends(l)) return false;
  }
  if (valid[VALUE_PIECE] && (!is_blank(l->lookahead) || s->brackets > 0) && !line_ends(l)) return value_piece(s, l, valid);
  if (s->fresh == 2 || (s->fresh == 1 && l->get_column(l) == 0)) {
    bool done = false;
    bool found = layout(s, l, valid, &done);
    if (done) return found;
  }
  int spaces = 0;
  while (is_blank(l->lookahead) && !at_end(l)) { spaces++; skip(l); }
  if (line_ends(l)) {
    /* A block needs no arrow above it. */
    if (valid[ARROW] && !valid[NEWLINE] && verb_kind(s) == V_CONDITION) {
      l->mark_end(l);
      return give(l, ARROW);
    }
    if (!valid[NEWLINE] && !valid[BLOCK_PIECE]) return false;
    if (valid[BLOCK_PIECE]) {
      if (block_piece(s, l, true, verb_kind(s) == V_DO)) return true;
    } else if (!at_end(l)) { step(l); l->mark_end(l); }
    return valid[NEWLINE] && new_line(s, l);
  }
  int32_t c = l->lookahead;
  if (c == '#' && spaces >= 2) {
    step(l);
    s->fresh = 0;
    return (is_blank(l->lookahead) || line_ends(l)) && comment(l);
  }
  if (c == ':' && valid[COLON]) {
    step(l);
    l->mark_end(l);
    return give(l, COLON);
  }
  if (c == ':' && valid[ARROW] && verb_kind(s) == V_CONDITION) {
    step(l);
    l->mark_end(l);
    while (is_blank(l->lookahead) && !at_end(l)) step(l);
    return line_ends(l) && give(l, ARROW);
  }
  if (valid[ARROW] && (c == 0x2192 || c == '-')) {
    step(l);
    if (c == '-') {
      if (l->lookahead != '>') return false;
      step(l);
    }
    l->mark_end(l);
    s->in_list = 1;
    return give(l, ARROW);
  }
  if (c == ',' && valid[NEXT_ACTION] && s->in_list) {
    step(l);
    l->mark_end(l);
    Ahead a;
    look(l, &a, true);
    return comma_ends(s, &a) && ended(s) && give(l, NEXT_ACTION);
  }
  if (c == '(' && valid[NOTE]) return note(s, l, spaces);
  if (c == '|' && valid[PIPE]) {
    step(l);
    if (l->lookahead == '-' && verb_kind(s) == S_PROMPT) step(l);
    l->mark_end(l);
    if (l->lookahead != '|') return give(l, PIPE);
    s->in_text = 1;
    return valid[SHELL_PIECE] && give(l, SHELL_PIECE);
  }
  if (c == '[' && (valid[OPTIONS_OPEN] || valid[ARGV_OPEN])) {
    step(l);
    l->mark_end(l);
    Ahead a;
    look(l, &a, true);
    int at = blanks(&a, 0);
    if (valid[OPTIONS_OPEN]) {
      if (a.at[at] == ']') return give(l, OPTIONS_OPEN);
      int end = at;
      while (is_word(a.at[end]) || (end > at && (a.at[end] == '.' || a.at[end] == '-'))) end++;
      int next = blanks(&a, end);
      if (is_letter(a.at[at]) && (a.at[next] == '=' || a.at[next] == ']' || a.at[next] == ',' || (next > end && is_letter(a.at[next]))))
        return give(l, OPTIONS_OPEN);
    }
    if (valid[ARGV_OPEN] && (a.at[0] == '"' || a.at[0] == '\'' || a.at[0] == '{') && !is_operand(&a)) return give(l, ARGV_OPEN);
    if (!valid[SHELL_PIECE]) return false;
    s->in_text = 1;
    s->brackets++;
    return give(l, SHELL_PIECE);
  }
  if (c == '-' && valid[V_STEP]) {
    /* A bullet, or a command that begins with a dash. */
    step(l);
    l->mark_end(l);
    if (is_blank(l->lookahead) || !valid[SHELL_PIECE]) return false;
    s->in_text = 1;
    return give(l, SHELL_PIECE);
  }
  if (is_word(c) && (valid[SHELL_PIECE] || valid[V_DO] || valid[S_GATE] || valid[V_CALL] || valid[V_LOOP] || valid[S_PROMPT] || valid[V_LIMIT] || valid[TIMEOUT]))
    return word_token(s, l, valid);
  if (valid[SHELL_PIECE] || valid[TEXT_PIECE]) {
    if (c == '[' && valid[ARROW] && verb_is(s, "ON ERROR")) return false;
    if (c == '"' && valid[TEXT_PIECE] && (verb_kind(s) == V_FAIL || verb_kind(s) == S_PROMPT)) return false;
    bool passed = false;
    return text_piece(s, l, valid[SHELL_PIECE], false, &passed);
  }
  return false;
}

bool tree_sitter_statedsl_external_scanner_scan(void *payload, TSLexer *l, const bool *valid) {
  Scanner *s = payload;
  if (!scan(s, l, valid)) return false;
  if (l->result_symbol != COMMENT && !(s->fresh == 2 && l->result_symbol <= DEDENT && l->result_symbol != NEWLINE)) s->fresh = l->result_symbol < COMMENT || l->result_symbol == BLANK;
  return true;
}

void *tree_sitter_statedsl_external_scanner_create(void) {
  Scanner *s = calloc(1, sizeof(Scanner));
  s->depth = 1;
  s->fresh = 1;
  return s;
}

void tree_sitter_statedsl_external_scanner_destroy(void *payload) { free(payload); }

unsigned tree_sitter_statedsl_external_scanner_serialize(void *payload, char *to) {
  Scanner *s = payload;
  unsigned size = (unsigned)(sizeof(Scanner) - sizeof s->levels);
  memcpy(to, (char *)s + sizeof s->levels, size);
  memcpy(to + size, s->levels, s->depth * sizeof *s->levels);
  return size + (unsigned)(s->depth * sizeof *s->levels);
}

void tree_sitter_statedsl_external_scanner_deserialize(void *payload, const char *from, unsigned length) {
  Scanner *s = payload;
  unsigned size = (unsigned)(sizeof(Scanner) - sizeof s->levels);
  memset(s, 0, sizeof *s);
  s->depth = 1;
  s->fresh = 1;
  if (length < size) return;
  memcpy((char *)s + sizeof s->levels, from, size);
  memcpy(s->levels, from + size, length - size);
}
