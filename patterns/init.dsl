# std/init: opens a work session.
#
#   USE: INIT_PATTERN with mode=campaign
#
# Parameters
#   mode     told in the event, so that a log says which kind of session began (default: left out)
#   root     folder that holds all sessions (default: .statedsl/sessions)
#   session  name of this session; empty makes a new one of eight characters (default: empty)
#
# Leaves behind, in the state that uses it
#   session_id   the name of the session
#   session_dir  its folder below root, which exists afterwards
#
# It ends without a GOTO: the caller goes on, usually with `GOTO: NEXT with session_id, session_dir`.

PATTERN: INIT_PATTERN with mode=null, root=".statedsl/sessions", session=""
  IF: session is empty →
    DO: session_id = slice(uuid(), 28, 36)
  ELSE →
    DO: session_id = session
  DO: session_dir = "{root}/{session_id}"
  DO: mkdir -p -- {session_dir}
  IF: mode is null → EMIT: SESSION_OPENED
  ELSE → EMIT: SESSION_OPENED mode={mode}
