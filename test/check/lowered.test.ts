/** The instructions of programs that have each form of a line, as `statedsl disassemble` prints them. */
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are programs
import { expect, test } from 'vitest';
import { compile } from '../../src/language/check/compile.js';
import { disassemble } from '../../src/views/disassemble.js';
import { casesOf, programOf } from '../corpus/case-file.js';
import { compileOptions } from '../corpus/compile-case.js';

/** Without the instructions that only keep lines apart, and without the head. */
function lowered(text: string): string {
  const { machines, diagnostics } = compile(text, { lookups: { agents: { isKnown: () => true } } });
  const errors = diagnostics.filter(({ severity }) => severity === 'error').map(({ message }) => message);
  return [...errors, ...machines.map(disassemble)].join('\n').replaceAll('"', "'");
}

test('states, values and failures', () => {
  const text = `INPUT: target
INPUT: mode = "fast" (one of: fast, slow)
INPUT: token (secret)
LIMIT: transitions=50 time=2h cost=1.5
STATE: A
  TRACK: n = 0
  TRACK: log
  DO: made = ./make.sh {target} "{mode}" {token}
  DO [ok=0,2 timeout=5s retry=2/1s..8s retry_on=tool_failure]: ls -l | wc -l
  DO [cwd=src env.A={mode} shell=sh strict=off]: ./x.sh {n:int}
  CHECK [timeout=1m]: state = ./poll.sh
  SET: log = "{made}: {state.ok}"
  SET: n = n + len(state.list) * 2 - -1
  SET: log += "!"
  INCREMENT: n by 3
  IF: state.ok == true AND NOT n in [1, 2.50] OR exit_code(state) != 0 → GOTO: B with made, why="late {n}"
  ELSE IF: state.name? is empty →
    EMIT: LATE n={n} text="a {made}"
  ELSE → EMIT: "no {default(state.x?, 3)}"
  IF: mode matches "^f" → USE: P with what={made}, next=B
  DEFAULT: GOTO: C
  ON ERROR timeout: → RETURN: {error_type}
  ON ERROR: →
    DO: echo {error} {line}
    FAIL: "gave up: {error}"
STATE: B
  EMIT: "{made?} {why?}"
  DO: total = n / 2
  RETURN: why={why?} total={total}
STATE: C
  KEEP
  DO [once]: ./deploy.sh
  UNDO: ./undo.sh {target}
  IF: n > 3 → ROLLBACK, FAIL: undone
  RETURN
STATE: ERROR
  ROLLBACK
  RETURN: {error}
PATTERN: P with what, next, deep="x"
  DO: echo {what} {deep}
  GOTO: {next}
`;
  expect(lowered(text)).toMatchInlineSnapshot(`
    "machine program (format 1)
      file 0: program.dsl
      input[0] target
      input[1] mode choices=['fast','slow'] type='string' value='fast'
      input[2] token secret=true
      tracked[0] n
      tracked[1] log
      limits cost=1.5 timeMs=7200000 transitions=50
      initial: 0 A
      on failure: 3 ERROR

    state 0 A
      local[0] made
      local[1] state
      local[2] $matched
      local[3] $exit:state
      local[4] $what
      local[5] $error_type
      local[6] $tool
      local[7] $error
      local[8] $exit_code
      local[9] $from_state
      local[10] $line
      local[11] $file
      local[12] $error_type
      local[13] $tool
      local[14] $error
      local[15] $exit_code
      local[16] $from_state
      local[17] $line
      local[18] $file
      handler 0..27 kind='timeout' names={'error_type':5,'tool':6,'error':7,'exit_code':8,'from_state':9,'line':10,'file':11} pc=28
      handler 0..27 kind=null names={'error_type':12,'tool':13,'error':14,'exit_code':15,'from_state':16,'line':17,'file':18} pc=29
       0  line     6  track slot=0 value={'op':'const','value':0}
       1  line     7  track slot=1 value={'op':'const','value':0}
       2  line     8  shell bind={'slot':0} holes=[[10,18],[20,26],[28,35]] ok=[0] reading='do' shell='default' strict='script' template={'parts':['./make.sh ',{'value':{'op':'read','name':'target','places':['input[0] target']},'source':'{target}','context':'word','argument':true,'word':{'id':0,'bytes':0}},' \\'',{'value':{'op':'read','name':'mode','places':['input[1] mode']},'source':'{mode}','context':'double','argument':true,'word':{'id':1,'bytes':0}},'\\' ',{'value':{'op':'read','name':'token','places':['input[2] token']},'source':'{token}','context':'word','argument':true,'word':{'id':2,'bytes':0}}],'source':'./make.sh {target} \\'{mode}\\' {token}'} text='./make.sh {target} \\'{mode}\\' {token}' tool='make.sh'
       3  line     9  shell ok=[0,2] reading='none' retry={'times':2,'pauseMs':1000,'upToMs':8000} retryOn=['tool_failure'] shell='default' strict='script' template={'parts':['__sdm() { case $1 in (*e*) set -e;; esac; };__sdz() { case $1 in (141) return 0;; esac; return \\'$1\\'; };{ __sdo=$-;set +e;(__sdm \\'$__sdo\\';ls -l  );__sdz \\'$?\\';} | wc -l'],'source':'ls -l | wc -l','pipes':[{'line':1,'members':['ls','wc']}]} text='ls -l | wc -l' timeout=['5s'] tool='wc'
       4  line    10  shell cwd=['src'] env=[{'name':'A','value':[{'value':{'op':'read','name':'mode','places':['input[1] mode']},'source':'{mode}'}]}] holes=[[7,14]] ok=[0] reading='none' shell='sh' template={'parts':['./x.sh ',{'value':{'op':'read','name':'n','places':['tracked[0] n']},'source':'{n:int}','context':'word','filter':'int','argument':true,'word':{'id':0,'bytes':0}}],'source':'./x.sh {n:int}'} text='./x.sh {n:int}' tool='x.sh'
       5  line    11  shell bind={'slot':1,'exitSlot':3} ok='any' reading='check-named' shell='default' strict='pipes' template={'parts':['./poll.sh'],'source':'./poll.sh'} text='./poll.sh' timeout=['1m'] tool='poll.sh'
       6  line    12  set name='log' to='tracked[1] log' value={'op':'template','template':[{'value':{'op':'read','name':'made','places':['local[0] made'],'boundAt':8},'source':'{made}'},': ',{'value':{'op':'field','of':{'op':'read','name':'state','places':['local[1] state'],'boundAt':11},'name':'ok'},'source':'{state.ok}'}]}
       7  line    13  set name='n' to='tracked[0] n' value={'op':'arithmetic','operator':'-','left':{'op':'arithmetic','operator':'+','left':{'op':'read','name':'n','places':['tracked[0] n']},'right':{'op':'arithmetic','operator':'*','left':{'op':'call','name':'len','args':[{'op':'field','of':{'op':'read','name':'state','places':['local[1] state'],'boundAt':11},'name':'list'}]},'right':{'op':'const','value':2}}},'right':{'op':'const','value':-1}}
       8  line    14  set name='log' to='tracked[1] log' value={'op':'arithmetic','operator':'+','left':{'op':'read','name':'log','places':['tracked[1] log']},'right':{'op':'const','value':'!'}}
       9  line    15  increment by={'op':'const','value':3} name='n' to='tracked[0] n'
      10  line    16  set name='$matched' to='local[2] $matched' value={'op':'const','value':false}
      11  line    16  unless condition={'op':'or','left':{'op':'and','left':{'op':'compare','operator':'==','left':{'op':'field','of':{'op':'read','name':'state','places':['local[1] state'],'boundAt':11},'name':'ok'},'right':{'op':'const','value':true}},'right':{'op':'not','of':{'op':'compare','operator':'in','left':{'op':'read','name':'n','places':['tracked[0] n']},'right':{'op':'const','value':[1,2.5],'printed':'[1,2.50]'}}}},'right':{'op':'compare','operator':'!=','left':{'op':'read','name':'exit_code(state)','places':['local[3] $exit:state']},'right':{'op':'const','value':0}}} text='state.ok == true AND NOT n in [1, 2.50] OR exit_code(state) != 0' to=@15
      12  line    16  set name='$matched' to='local[2] $matched' value={'op':'const','value':true}
      13  line    16  goto args=[{'name':'made','value':{'op':'read','name':'made','places':['local[0] made'],'boundAt':8}},{'name':'why','value':{'op':'template','template':['late ',{'value':{'op':'read','name':'n','places':['tracked[0] n']},'source':'{n}'}]}}] state=1 B
      14  line    16  jump to=@20
      15  line    17  unless condition={'op':'test','test':'empty','negated':false,'of':{'op':'maybe','of':{'op':'field','of':{'op':'read','name':'state','places':['local[1] state'],'boundAt':11},'name':'name'}}} text='state.name? is empty' to=@19
      16  line    17  set name='$matched' to='local[2] $matched' value={'op':'const','value':true}
      17  line    18  emit event='LATE' fields=[{'name':'n','value':[{'value':{'op':'read','name':'n','places':['tracked[0] n']},'source':'{n}'}],'optional':false},{'name':'text','value':['a ',{'value':{'op':'read','name':'made','places':['local[0] made'],'boundAt':8},'source':'{made}'}],'optional':false}] message=null
      18  line    17  jump to=@20
      19  line    19  emit event=null fields=[] message=['no ',{'value':{'op':'call','name':'default','args':[{'op':'maybe','of':{'op':'field','of':{'op':'read','name':'state','places':['local[1] state'],'boundAt':11},'name':'x'}},{'op':'const','value':3}]},'source':'{default(state.x?, 3)}'}]
      20  line    20  unless condition={'op':'compare','operator':'matches','left':{'op':'read','name':'mode','places':['input[1] mode']},'right':{'op':'const','value':'^f'}} text='mode matches \\'^f\\'' to=@25
      21  line    20  set name='$matched' to='local[2] $matched' value={'op':'const','value':true}
      22  line    20  set name='what' to='local[4] $what' value={'op':'read','name':'made','places':['local[0] made'],'boundAt':8}
      23  line    40  shell holes=[[5,11],[12,18]] ok=[0] reading='none' shell='default' strict='script' template={'parts':['echo ',{'value':{'op':'read','name':'what','places':['local[4] $what']},'source':'{what}','context':'word'},' ',{'value':{'op':'const','value':'x'},'source':'{deep}','context':'word'}],'source':'echo {what} {deep}'} text='echo {what} {deep}' tool='echo'
      24  line    41  goto args=[] state=1 B
      25  line    21  unless condition={'op':'not','of':{'op':'read','name':'$matched','places':['local[2] $matched']}} text='DEFAULT' to=@27
      26  line    21  goto args=[] state=2 C
      27  line     5  fell-off
      28  line    22  return failed=false value={'op':'template','template':[{'value':{'op':'read','name':'error_type','places':['local[5] $error_type']},'source':'{error_type}'}]}
      29  line    24  shell holes=[[5,12],[13,19]] ok=[0] reading='none' shell='default' strict='script' template={'parts':['echo ',{'value':{'op':'read','name':'error','places':['local[14] $error']},'source':'{error}','context':'word'},' ',{'value':{'op':'read','name':'line','places':['local[17] $line']},'source':'{line}','context':'word'}],'source':'echo {error} {line}'} text='echo {error} {line}' tool='echo'
      30  line    25  fail args=[] message=['gave up: ',{'value':{'op':'read','name':'error','places':['local[14] $error']},'source':'{error}'}]

    state 1 B
      entry[0] made
      entry[1] why
      local[0] total
       0  line    27  emit event=null fields=[] message=[{'value':{'op':'maybe','of':{'op':'read','name':'made','places':['entry[0] made']}},'source':'{made?}'},' ',{'value':{'op':'maybe','of':{'op':'read','name':'why','places':['entry[1] why']}},'source':'{why?}'}]
       1  line    28  set name='total' to='local[0] total' value={'op':'arithmetic','operator':'/','left':{'op':'read','name':'n','places':['tracked[0] n']},'right':{'op':'const','value':2}}
       2  line    29  return failed=false value={'op':'template','template':['why=',{'value':{'op':'maybe','of':{'op':'read','name':'why','places':['entry[1] why']}},'source':'{why?}'},' total=',{'value':{'op':'read','name':'total','places':['local[0] total'],'boundAt':28},'source':'{total}'}]}
       3  line    26  fell-off

    state 2 C
      local[0] rollback
       0  line    31  keep
       1  line    32  shell ok=[0] once=true reading='none' shell='default' strict='script' template={'parts':['./deploy.sh'],'source':'./deploy.sh'} text='./deploy.sh' tool='deploy.sh'
       2  line    33  undo by={'op':'shell','template':{'parts':['./undo.sh ',{'value':{'op':'read','name':'target','places':['input[0] target']},'source':'{target}','context':'word','argument':true,'word':{'id':0,'bytes':0}}],'source':'./undo.sh {target}'},'holes':[[10,18]],'tool':'undo.sh','ok':[0],'reading':'none','text':'./undo.sh {target}','shell':'default','strict':'script'}
       3  line    34  unless condition={'op':'compare','operator':'>','left':{'op':'read','name':'n','places':['tracked[0] n']},'right':{'op':'const','value':3}} text='n > 3' to=@6
       4  line    34  rollback bind=0
       5  line    34  fail args=[] message=['undone']
       6  line    35  return failed=false value=null
       7  line    30  fell-off

    state 3 ERROR
      entry[0] error_type
      entry[1] tool
      entry[2] error
      entry[3] exit_code
      entry[4] from_state
      entry[5] line
      entry[6] file
      local[0] rollback
       0  line    37  rollback bind=0
       1  line    38  return failed=true value={'op':'template','template':[{'value':{'op':'read','name':'error','places':['entry[2] error']},'source':'{error}'}]}
       2  line    36  fell-off
    "
  `);
});

test('loops, members, waits and questions', () => {
  const text = `STATE: A
  TRACK: items = ["a", "b"]
  TRACK: done = false
  FOR EACH: x in items
    DO: r = ./x.sh {x}
    IF: r == "stop" → GOTO: B
  DO: all = FOR EACH y in range(1, 4) in PARALLEL [max=2 on_failure=keep]
    DO: z = ./y.sh {y}
  DO: both = in PARALLEL [quorum=1 on_failure=keep]
    - one = ./one.sh
    - CHECK: two = ./two.sh
    - ASK user: "Now?" → three choices=yes,no
    - FOR EACH: w in all
        DO: ./w.sh {w.z}
    - DO: ./last.sh
      UNDO: ./first.sh
  WAIT: 1m
  WAIT: {items[0]}
  WAIT: done OR timeout=5m every=2s
  WAIT: ready == true every=1s
    CHECK: ready = ./ready.sh
  WAIT: signal go OR timeout=1h
  ASK user: "Ship {both.one}? {go}" → answer choices=yes,no default=no deadline=1d show=both,all
  IF: answer == "no" →
    WAIT: signal later
    SET: done = true
  DO: told = Task(claude) "Say {answer}." with items, x="{done}"
  DO [timeout=5m]: Task(codex):
    First line {told}

    last line
  RETURN: {told} 
STATE: B
  FAIL: {items:json}
`;
  expect(lowered(text)).toMatchInlineSnapshot(`
    "machine program (format 1)
      file 0: program.dsl
      tracked[0] items
      tracked[1] done
      initial: 0 A

    state 0 A
      local[0] r
      local[1] all
      local[2] failures
      local[3] z
      local[4] both
      local[5] one
      local[6] two
      local[7] three
      local[8] timed_out
      local[9] ready
      local[10] go
      local[11] answer
      local[12] later
      local[13] told
      local[14] $items
      local[15] $index
      local[16] $each:x
      local[17] $each:y
      local[18] $result
      local[19] $items
      local[20] $index
      local[21] $each:w
      local[22] $deadline
      local[23] $deadline
       0  line     2  track slot=0 value={'op':'const','value':['a','b']}
       1  line     3  track slot=1 value={'op':'const','value':false}
       2  line     4  each index=15 items=14 list={'op':'read','name':'items','places':['tracked[0] items']}
       3  line     4  next exit=8 index=15 items=14 variable=16
       4  line     5  shell bind={'slot':0} holes=[[7,10]] ok=[0] reading='do' shell='default' strict='script' template={'parts':['./x.sh ',{'value':{'op':'read','name':'x','places':['local[16] $each:x']},'source':'{x}','context':'word','argument':true,'word':{'id':0,'bytes':0}}],'source':'./x.sh {x}'} text='./x.sh {x}' tool='x.sh'
       5  line     6  unless condition={'op':'compare','operator':'==','left':{'op':'read','name':'r','places':['local[0] r'],'boundAt':5},'right':{'op':'const','value':'stop'}} text='r == \\'stop\\'' to=@7
       6  line     6  goto args=[] state=1 B
       7  line     4  jump to=@3
       8  line     7  fork-each agents=false body=9 collect=[3,18] join=13 keep=2 list={'op':'call','name':'range','args':[{'op':'const','value':1},{'op':'const','value':4}]} max={'op':'const','value':2} named=true own=true quorum=null variable=17 wait=null
       9  line     7  set name='$result' to='local[18] $result' value={'op':'const','value':null}
      10  line     8  shell bind={'slot':3} holes=[[7,10]] ok=[0] reading='do' shell='default' strict='script' template={'parts':['./y.sh ',{'value':{'op':'read','name':'y','places':['local[17] $each:y']},'source':'{y}','context':'word','argument':true,'word':{'id':0,'bytes':0}}],'source':'./y.sh {y}'} text='./y.sh {y}' tool='y.sh'
      11  line     8  set name='$result' to='local[18] $result' value={'op':'read','name':'z','places':['local[3] z']}
      12  line     7  branch-end
      13  line     7  set name='all' to='local[1] all' value={'op':'read','name':'$result','places':['local[18] $result']}
      14  line     9  fork agents=false branches=[{'pc':15,'collect':[5]},{'pc':17,'collect':[6]},{'pc':19,'collect':[7]},{'pc':21,'collect':[]},{'pc':26,'collect':[]}] detached=true join=29 keep=2 max=null names=['one','two','ASK user: \\'Now?\\' → three choices=yes,no','FOR EACH: w in all','DO: ./last.sh'] own=true quorum={'op':'const','value':1} wait=null
      15  line    10  shell bind={'slot':5} ok=[0] reading='do' shell='default' strict='script' template={'parts':['./one.sh'],'source':'./one.sh'} text='./one.sh' tool='one.sh'
      16  line    10  branch-end
      17  line    11  shell bind={'slot':6} ok='any' reading='check-named' shell='default' strict='pipes' template={'parts':['./two.sh'],'source':'./two.sh'} text='./two.sh' tool='two.sh'
      18  line    11  branch-end
      19  line    12  ask bind=7 choices=[['yes'],['no']] deadline=null name='three' question=['Now?'] value=null
      20  line    12  branch-end
      21  line    13  each index=20 items=19 list={'op':'read','name':'all','places':['local[1] all'],'boundAt':7}
      22  line    13  next exit=25 index=20 items=19 variable=21
      23  line    14  shell holes=[[7,12]] ok=[0] reading='none' shell='default' strict='script' template={'parts':['./w.sh ',{'value':{'op':'field','of':{'op':'read','name':'w','places':['local[21] $each:w']},'name':'z'},'source':'{w.z}','context':'word','argument':true,'word':{'id':0,'bytes':0}}],'source':'./w.sh {w.z}'} text='./w.sh {w.z}' tool='w.sh'
      24  line    13  jump to=@22
      25  line    13  branch-end
      26  line    15  shell ok=[0] reading='none' shell='default' strict='script' template={'parts':['./last.sh'],'source':'./last.sh'} text='./last.sh' tool='last.sh'
      27  line    16  undo by={'op':'shell','template':{'parts':['./first.sh'],'source':'./first.sh'},'tool':'first.sh','ok':[0],'reading':'none','text':'./first.sh','shell':'default','strict':'script'}
      28  line    15  branch-end
      29  line    17  sleep duration=['1m']
      30  line    17  set name='timed_out' to='local[8] timed_out' value={'op':'const','value':false}
      31  line     9  join-detached
      32  line     9  set name='both' to='local[4] both' value={'op':'object','entries':[['one',{'op':'read','name':'one','places':['local[5] one']}],['two',{'op':'read','name':'two','places':['local[6] two']}],['three',{'op':'read','name':'three','places':['local[7] three']}]]}
      33  line    18  sleep duration=[{'value':{'op':'index','of':{'op':'read','name':'items','places':['tracked[0] items']},'index':{'op':'const','value':0}},'source':'{items[0]}'}]
      34  line    18  set name='timed_out' to='local[8] timed_out' value={'op':'const','value':false}
      35  line    19  wait-start deadline=22 timedOut=8 timeout=['5m']
      36  line    19  unless condition={'op':'read','name':'done','places':['tracked[1] done']} text='done' to=@38
      37  line    19  jump to=@39
      38  line    19  wait-turn again=36 deadline=22 every=['2s'] exit=39 timedOut=8
      39  line    20  wait-start deadline=23 timedOut=8 timeout=['300s']
      40  line    21  shell bind={'slot':9} ok='any' reading='check-named' shell='default' strict='pipes' template={'parts':['./ready.sh'],'source':'./ready.sh'} text='./ready.sh' tool='ready.sh'
      41  line    20  unless condition={'op':'compare','operator':'==','left':{'op':'read','name':'ready','places':['local[9] ready'],'boundAt':21},'right':{'op':'const','value':true}} text='ready == true' to=@43
      42  line    20  jump to=@44
      43  line    20  wait-turn again=40 deadline=23 every=['1s'] exit=44 timedOut=8
      44  line    22  signal bind=10 name='go' timedOut=8 timeout=['1h']
      45  line    23  ask bind=11 choices=[['yes'],['no']] deadline=['1d'] name='answer' question=['Ship ',{'value':{'op':'field','of':{'op':'read','name':'both','places':['local[4] both'],'boundAt':9},'name':'one'},'source':'{both.one}'},'? ',{'value':{'op':'read','name':'go','places':['local[10] go'],'boundAt':22},'source':'{go}'}] show=[{'name':'both','value':[{'value':{'op':'read','name':'both','places':['local[4] both'],'boundAt':9},'source':'both'}]},{'name':'all','value':[{'value':{'op':'read','name':'all','places':['local[1] all'],'boundAt':7},'source':'all'}]}] value=['no']
      46  line    24  unless condition={'op':'compare','operator':'==','left':{'op':'read','name':'answer','places':['local[11] answer'],'boundAt':23},'right':{'op':'const','value':'no'}} text='answer == \\'no\\'' to=@49
      47  line    25  signal bind=12 name='later' timedOut=8 timeout=null
      48  line    26  set name='done' to='tracked[1] done' value={'op':'const','value':true}
      49  line    27  agent agent='claude' args=[{'name':'items','value':{'op':'read','name':'items','places':['tracked[0] items']}},{'name':'x','value':{'op':'template','template':[{'value':{'op':'read','name':'done','places':['tracked[1] done']},'source':'{done}'}]}}] bind={'slot':13} ok=[0] prompt=['Say ',{'value':{'op':'read','name':'answer','places':['local[11] answer'],'boundAt':23},'source':'{answer}'},'.'] reading='do' text='Task(claude) \\'Say {answer}.\\' with items, x=\\'{done}\\''
      50  line    28  agent agent='codex' args=[] ok=[0] prompt=['First line ',{'value':{'op':'read','name':'told','places':['local[13] told'],'boundAt':27},'source':'{told}'},'\\n\\nlast line'] reading='none' text='Task(codex): …' timeout=['5m']
      51  line    32  return failed=false value={'op':'template','template':[{'value':{'op':'read','name':'told','places':['local[13] told'],'boundAt':27},'source':'{told}'}]}
      52  line     1  fell-off

    state 1 B
       0  line    34  fail args=[] message=[{'value':{'op':'read','name':'items','places':['tracked[0] items']},'filter':'json','source':'{items:json}'}]
       1  line    33  fell-off
    "
  `);
});

test('steps', () => {
  const text = `INPUT: spec
STEP: plan type=split
  PROMPT: "Plan {spec}."
  AGENT: claude with max_turns=5, max_time=10m, no_write
  CONTEXT: file="docs/*.md", bash="git log -3"
  EACH [parallel max=2]:
    STEP: build type=code
      PROMPT:
        Do {task.description}.
        Then test.
      AGENT: codex with max_cost=2
      SESSION: from=plan
      GATE:
        - compile
        - bash "npm test" as test
        - coverage 80
        - touched "src/**"
        - untouched "docs/**"
        - expr "len(task.name) > 1" as named
      RETRY:
        ATTEMPT 2 → PROMPT "Again: {error}", SESSION new
        NOT gate.test → AGENT: claude, SESSION new
        ATTEMPT 3 → WORKTREE reset, SESSION new
        EXIT 4
STEP: check
  DO: ./check.sh {spec}
  GATE: lint
RETURN: {plan.status}
`;
  expect(lowered(text)).toMatchInlineSnapshot(`
    "machine program (format 1)
      file 0: program.dsl
      input[0] spec
      initial: 0 MAIN

    state 0 MAIN
      local[0] $context
      local[1] $context
      local[2] $tasks
      local[3] $task
      local[4] $end
      handler 2..4 frames=1 kind=null names={} pc=5 step=true
      handler 13..13 frames=2 kind=null names={} pc=14 step=true
      handler 29..29 frames=1 kind=null names={} pc=30 step=true
       0  line     2  step-begin plan={'name':'plan','type':'split','gates':[],'retry':null,'work':'agent'}
       1  line     2  step-attempt agent=['claude'] plan={'name':'plan','type':'split','gates':[],'retry':null,'work':'agent'} session=null
       2  line     5  argv bind={'slot':0} list={'op':'list','items':[{'op':'const','value':'cat'},{'op':'const','value':'--'},{'op':'template','template':['docs/*.md']}]} ok=[0] reading='text' reads=true text='read docs/*.md'
       3  line     5  shell bind={'slot':1} ok=[0] reading='both' shell='default' strict='script' template={'parts':['git log -3'],'source':'git log -3'} text='git log -3' tool='git'
       4  line     4  step-agent context=[{'title':['docs/*.md'],'slot':0},{'title':['$ git log -3'],'slot':1}] guards={'maxTurns':5,'maxTimeMs':600000,'noWrite':true} plan={'name':'plan','type':'split','gates':[],'retry':null,'work':'agent'} prompt=['Plan ',{'value':{'op':'read','name':'spec','places':['input[0] spec']},'source':'{spec}'},'.']
       5  line     2  step-collect otherwise=6 plan={'name':'plan','type':'split','gates':[],'retry':null,'work':'agent'}
       6  line     2  step-verdict done=8 plan={'name':'plan','type':'split','gates':[],'retry':null,'work':'agent'}
       7  line     2  step-retry again=1 plan={'name':'plan','type':'split','gates':[],'retry':null,'work':'agent'}
       8  line     6  tasks of={'level':0,'path':'plan','field':'output'} slot=2
       9  line     6  fork-each agents=true body=10 collect=[4] join=26 list={'op':'read','name':'tasks','places':['local[2] $tasks']} max={'op':'const','value':2} quorum=null variable=3 wait=null
      10  line     6  task-enter parallel=true parent={'level':0,'path':'plan','field':''} slot=3
      11  line     7  step-begin plan={'name':'build','type':'code','gates':[{'name':'compile','kind':'compile'},{'name':'test','kind':'bash'},{'name':'coverage','kind':'coverage'},{'name':'touched','kind':'touched'},{'name':'untouched','kind':'untouched'},{'name':'named','kind':'expr'},{'name':'files','kind':'files'}],'retry':{'entries':[{'when':{'kind':'attempt','number':2},'prompt':['Again: ',{'value':{'op':'retry-key','field':'error'},'source':'{error}'}],'session':'new'},{'when':{'kind':'not','gate':'test'},'agent':['claude'],'session':'new'},{'when':{'kind':'attempt','number':3},'worktree':'reset','session':'new'},{'when':{'kind':'exit'}}],'exit':4},'work':'agent'}
      12  line     7  step-attempt agent=['codex'] plan={'name':'build','type':'code','gates':[{'name':'compile','kind':'compile'},{'name':'test','kind':'bash'},{'name':'coverage','kind':'coverage'},{'name':'touched','kind':'touched'},{'name':'untouched','kind':'untouched'},{'name':'named','kind':'expr'},{'name':'files','kind':'files'}],'retry':{'entries':[{'when':{'kind':'attempt','number':2},'prompt':['Again: ',{'value':{'op':'retry-key','field':'error'},'source':'{error}'}],'session':'new'},{'when':{'kind':'not','gate':'test'},'agent':['claude'],'session':'new'},{'when':{'kind':'attempt','number':3},'worktree':'reset','session':'new'},{'when':{'kind':'exit'}}],'exit':4},'work':'agent'} session={'kind':'from','key':{'level':0,'path':'plan','field':'session_id'}}
      13  line    11  step-agent context=[] guards={'maxCost':2} plan={'name':'build','type':'code','gates':[{'name':'compile','kind':'compile'},{'name':'test','kind':'bash'},{'name':'coverage','kind':'coverage'},{'name':'touched','kind':'touched'},{'name':'untouched','kind':'untouched'},{'name':'named','kind':'expr'},{'name':'files','kind':'files'}],'retry':{'entries':[{'when':{'kind':'attempt','number':2},'prompt':['Again: ',{'value':{'op':'retry-key','field':'error'},'source':'{error}'}],'session':'new'},{'when':{'kind':'not','gate':'test'},'agent':['claude'],'session':'new'},{'when':{'kind':'attempt','number':3},'worktree':'reset','session':'new'},{'when':{'kind':'exit'}}],'exit':4},'work':'agent'} prompt=['Do ',{'value':{'op':'field','of':{'op':'read','name':'task','places':['local[3] $task']},'name':'description'},'source':'{task.description}'},'.\\nThen test.']
      14  line     7  step-collect otherwise=22 plan={'name':'build','type':'code','gates':[{'name':'compile','kind':'compile'},{'name':'test','kind':'bash'},{'name':'coverage','kind':'coverage'},{'name':'touched','kind':'touched'},{'name':'untouched','kind':'untouched'},{'name':'named','kind':'expr'},{'name':'files','kind':'files'}],'retry':{'entries':[{'when':{'kind':'attempt','number':2},'prompt':['Again: ',{'value':{'op':'retry-key','field':'error'},'source':'{error}'}],'session':'new'},{'when':{'kind':'not','gate':'test'},'agent':['claude'],'session':'new'},{'when':{'kind':'attempt','number':3},'worktree':'reset','session':'new'},{'when':{'kind':'exit'}}],'exit':4},'work':'agent'}
      15  line    14  gate-check check={'kind':'unknown','why':'the gate \`compile\` has no command'} gate={'name':'compile','kind':'compile'}
      16  line    15  gate-command gate={'name':'test','kind':'bash'} shell='default' strict='script' template={'parts':['npm test'],'source':'npm test'} text='npm test' timeoutMs=600000
      17  line    16  gate-check check={'kind':'unknown','why':'the gate \`coverage\` has no command'} gate={'name':'coverage','kind':'coverage'}
      18  line    17  gate-check check={'kind':'touched','globs':[['src/**']]} gate={'name':'touched','kind':'touched'}
      19  line    18  gate-check check={'kind':'untouched','globs':[['docs/**']]} gate={'name':'untouched','kind':'untouched'}
      20  line    19  gate-check check={'kind':'expr','condition':{'op':'const','value':'len(task.name) > 1'},'text':'\\'len(task.name) > 1\\''} gate={'name':'named','kind':'expr'}
      21  line     7  gate-check check={'kind':'files','slot':3} gate={'name':'files','kind':'files'}
      22  line     7  step-verdict done=24 plan={'name':'build','type':'code','gates':[{'name':'compile','kind':'compile'},{'name':'test','kind':'bash'},{'name':'coverage','kind':'coverage'},{'name':'touched','kind':'touched'},{'name':'untouched','kind':'untouched'},{'name':'named','kind':'expr'},{'name':'files','kind':'files'}],'retry':{'entries':[{'when':{'kind':'attempt','number':2},'prompt':['Again: ',{'value':{'op':'retry-key','field':'error'},'source':'{error}'}],'session':'new'},{'when':{'kind':'not','gate':'test'},'agent':['claude'],'session':'new'},{'when':{'kind':'attempt','number':3},'worktree':'reset','session':'new'},{'when':{'kind':'exit'}}],'exit':4},'work':'agent'}
      23  line    20  step-retry again=12 plan={'name':'build','type':'code','gates':[{'name':'compile','kind':'compile'},{'name':'test','kind':'bash'},{'name':'coverage','kind':'coverage'},{'name':'touched','kind':'touched'},{'name':'untouched','kind':'untouched'},{'name':'named','kind':'expr'},{'name':'files','kind':'files'}],'retry':{'entries':[{'when':{'kind':'attempt','number':2},'prompt':['Again: ',{'value':{'op':'retry-key','field':'error'},'source':'{error}'}],'session':'new'},{'when':{'kind':'not','gate':'test'},'agent':['claude'],'session':'new'},{'when':{'kind':'attempt','number':3},'worktree':'reset','session':'new'},{'when':{'kind':'exit'}}],'exit':4},'work':'agent'}
      24  line     6  task-leave parallel=true slot=4
      25  line     6  branch-end
      26  line     6  tasks-merge slot=4
      27  line    25  step-begin plan={'name':'check','type':'none','gates':[{'name':'lint','kind':'lint'}],'retry':null,'work':'body'}
      28  line    25  step-attempt agent=null plan={'name':'check','type':'none','gates':[{'name':'lint','kind':'lint'}],'retry':null,'work':'body'} session=null
      29  line    26  shell holes=[[11,17]] ok=[0] reading='none' shell='default' strict='script' template={'parts':['./check.sh ',{'value':{'op':'read','name':'spec','places':['input[0] spec']},'source':'{spec}','context':'word','argument':true,'word':{'id':0,'bytes':0}}],'source':'./check.sh {spec}'} text='./check.sh {spec}' tool='check.sh'
      30  line    25  step-collect otherwise=32 plan={'name':'check','type':'none','gates':[{'name':'lint','kind':'lint'}],'retry':null,'work':'body'}
      31  line    27  gate-check check={'kind':'skipped','why':'the project has no linter'} gate={'name':'lint','kind':'lint'}
      32  line    25  step-verdict done=34 plan={'name':'check','type':'none','gates':[{'name':'lint','kind':'lint'}],'retry':null,'work':'body'}
      33  line    25  step-retry again=28 plan={'name':'check','type':'none','gates':[{'name':'lint','kind':'lint'}],'retry':null,'work':'body'}
      34  line    28  return failed=false value={'op':'template','template':[{'value':{'op':'step-key','key':{'level':0,'path':'plan','field':'status'},'text':'plan.status'},'source':'{plan.status}'}]}
      35  line     2  fell-off
    "
  `);
});

test('the plans of calls', () => {
  const lines = casesOf('check')
    .filter(({ name }) => /^calls\/(?:explained|gates|reads|references-without)/.test(name))
    .flatMap((the) => {
      const { machines } = compile(programOf(the).text, compileOptions(the));
      return machines.flatMap(({ plans = {} }) =>
        Object.entries(plans).map(([name, plan]) => `${the.name} ${name} ${JSON.stringify(plan)}`),
      );
    });
  expect(lines.join('\n').replaceAll(process.cwd(), '.').replaceAll('"', "'")).toMatchInlineSnapshot(`
    "calls/explained CALL t {'version':1,'calls':[{'index':0,'source':0,'tool':'t','delegate':null,'instance':null,'line':0,'rank':0,'parameters':{'op':'object','entries':[['a',{'op':'read','of':{'op':'path','path':['input','a'],'gate':false}}]]},'inline':null,'arms':[[['state','x']]],'method':null,'remarks':{}}],'order':[0],'given':{},'targeted':null,'output':null,'mode':'eager','max':null,'tools':{'t':{'calls':{'kind':'run','argv':['./t.sh'],'near':[0]},'outcomes':null,'failure':null,'timeoutMs':null,'idempotent':null,'schema':null}},'gates':[],'signature':[[['input','a']]]}
    calls/gates-belong-to-plans CALL t {'version':1,'calls':[{'index':0,'source':0,'tool':'t','delegate':null,'instance':null,'line':0,'rank':0,'parameters':{'op':'object','entries':[['a',{'op':'read','of':{'op':'path','path':['input','a'],'gate':false}}]]},'inline':null,'arms':[],'method':null,'remarks':{}}],'order':[0],'given':{},'targeted':null,'output':null,'mode':'eager','max':null,'tools':{'t':{'calls':{'kind':'run','argv':['cat']},'outcomes':null,'failure':null,'timeoutMs':null,'idempotent':null,'schema':null}},'gates':[],'signature':[[['input','a']]]}
    calls/reads-another-branch CALL t {'version':1,'calls':[{'index':0,'source':0,'tool':'t','delegate':null,'instance':null,'line':0,'rank':0,'parameters':{'op':'object','entries':[['a',{'op':'literal','value':1}]]},'inline':null,'arms':[[['state','before']]],'method':null,'remarks':{}}],'order':[0],'given':{},'targeted':null,'output':null,'mode':'eager','max':null,'tools':{'t':{'calls':{'kind':'run','argv':['cat']},'outcomes':null,'failure':null,'timeoutMs':null,'idempotent':null,'schema':null}},'gates':[],'signature':[]}
    calls/reads-another-branch CALL t (2) {'version':1,'calls':[{'index':0,'source':0,'tool':'t','delegate':null,'instance':null,'line':0,'rank':0,'parameters':{'op':'object','entries':[['a',{'op':'literal','value':1}]]},'inline':null,'arms':[[['state','one']]],'method':null,'remarks':{}}],'order':[0],'given':{},'targeted':null,'output':null,'mode':'eager','max':null,'tools':{'t':{'calls':{'kind':'run','argv':['cat']},'outcomes':null,'failure':null,'timeoutMs':null,'idempotent':null,'schema':null}},'gates':[],'signature':[]}
    calls/reads-another-branch CALL t (3) {'version':1,'calls':[{'index':0,'source':0,'tool':'t','delegate':null,'instance':null,'line':0,'rank':0,'parameters':{'op':'object','entries':[['a',{'op':'read','of':{'op':'path','path':['input','a'],'gate':false}}],['b',{'op':'read','of':{'op':'path','path':['input','b'],'gate':false}}]]},'inline':null,'arms':[[['state','two']]],'method':null,'remarks':{}}],'order':[0],'given':{},'targeted':null,'output':null,'mode':'eager','max':null,'tools':{'t':{'calls':{'kind':'run','argv':['cat']},'outcomes':null,'failure':null,'timeoutMs':null,'idempotent':null,'schema':null}},'gates':[],'signature':[[['input','a']],[['input','b']]]}
    calls/reads-another-branch CALL t (4) {'version':1,'calls':[{'index':0,'source':0,'tool':'t','delegate':null,'instance':null,'line':0,'rank':0,'parameters':{'op':'object','entries':[['a',{'op':'read','of':{'op':'path','path':['input','a'],'gate':false}}]]},'inline':null,'arms':[[['state','three']]],'method':null,'remarks':{}}],'order':[0],'given':{},'targeted':null,'output':null,'mode':'eager','max':null,'tools':{'t':{'calls':{'kind':'run','argv':['cat']},'outcomes':null,'failure':null,'timeoutMs':null,'idempotent':null,'schema':null}},'gates':[],'signature':[[['input','a']]]}
    calls/reads-another-branch CALL t (5) {'version':1,'calls':[{'index':0,'source':0,'tool':'t','delegate':null,'instance':null,'line':0,'rank':0,'parameters':{'op':'object','entries':[['a',{'op':'read','of':{'op':'path','path':['input','a'],'gate':false}}]]},'inline':null,'arms':[[['state','late']]],'method':null,'remarks':{}}],'order':[0],'given':{},'targeted':null,'output':null,'mode':'eager','max':null,'tools':{'t':{'calls':{'kind':'run','argv':['cat']},'outcomes':null,'failure':null,'timeoutMs':null,'idempotent':null,'schema':null}},'gates':[],'signature':[[['input','a']]]}
    calls/reads-another-branch CALL t (6) {'version':1,'calls':[{'index':0,'source':0,'tool':'t','delegate':null,'instance':null,'line':0,'rank':0,'parameters':{'op':'object','entries':[['a',{'op':'literal','value':1}]]},'inline':null,'arms':[[['state','list']]],'method':'push','remarks':{}}],'order':[0],'given':{},'targeted':null,'output':null,'mode':'eager','max':null,'tools':{'t':{'calls':{'kind':'run','argv':['cat']},'outcomes':null,'failure':null,'timeoutMs':null,'idempotent':null,'schema':null}},'gates':[],'signature':[]}
    calls/reads-another-branch CALL t (7) {'version':1,'calls':[{'index':0,'source':0,'tool':'t','delegate':null,'instance':null,'line':0,'rank':0,'parameters':{'op':'object','entries':[['a',{'op':'read','of':{'op':'path','path':['input','a'],'gate':false}}]]},'inline':null,'arms':[[['state','four']]],'method':null,'remarks':{}}],'order':[0],'given':{},'targeted':null,'output':null,'mode':'eager','max':null,'tools':{'t':{'calls':{'kind':'run','argv':['cat']},'outcomes':null,'failure':null,'timeoutMs':null,'idempotent':null,'schema':null}},'gates':[],'signature':[[['input','a']]]}
    calls/reads-another-branch CALL t (8) {'version':1,'calls':[{'index':0,'source':0,'tool':'t','delegate':null,'instance':null,'line':0,'rank':0,'parameters':{'op':'object','entries':[['a',{'op':'read','of':{'op':'path','path':['input','a'],'gate':false}}]]},'inline':null,'arms':[[['state','list']]],'method':'push','remarks':{}}],'order':[0],'given':{},'targeted':null,'output':null,'mode':'eager','max':null,'tools':{'t':{'calls':{'kind':'run','argv':['cat']},'outcomes':null,'failure':null,'timeoutMs':null,'idempotent':null,'schema':null}},'gates':[],'signature':[[['input','a']]]}
    calls/references-without-braces CALL t {'version':1,'calls':[{'index':0,'source':0,'tool':'t','delegate':null,'instance':null,'line':0,'rank':0,'parameters':{'op':'object','entries':[['a',{'op':'read','of':{'op':'path','path':['input','a'],'gate':false}}],['b',{'op':'read','of':{'op':'path','path':['input','b'],'gate':false}}],['c',{'op':'read','of':{'op':'path','path':['input','c'],'gate':false}}],['d',{'op':'read','of':{'op':'path','path':['input','d'],'gate':false}}],['e',{'op':'read','of':{'op':'path','path':['input','e'],'gate':false}}]]},'inline':null,'arms':[[['state','x']]],'method':null,'remarks':{}}],'order':[0],'given':{},'targeted':null,'output':null,'mode':'eager','max':null,'tools':{'t':{'calls':{'kind':'run','argv':['cat']},'outcomes':null,'failure':null,'timeoutMs':null,'idempotent':null,'schema':null}},'gates':[],'signature':[[['input','a']],[['input','b']],[['input','c']],[['input','d']],[['input','e']]]}"
  `);
});
