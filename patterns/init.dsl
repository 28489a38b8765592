# std/init: opens a work session.
#
#   USE: INIT_PATTERN with mode=campaign
#
# Parameters
#   mode     the kind of session, for the event in the log (default: left out)
#   root     the folder of all sessions (default: .statedsl/sessions)
#   session  the name of this session; if it is empty, the pattern makes a name of eight characters (default: empty)
#
# Leaves behind, in the state that uses it
#   session_id   the name of the session
#   session_dir  its folder below root; the pattern creates it
#
# It ends without a GOTO: the caller continues, usually with `GOTO: NEXT with session_id, session_dir`.

PATTERN: INIT_PATTERN with mode=null, root=".statedsl/sessions", session=""
  IF: session is empty →
    DO: session_id = slice(uuid(), 28, 36)
  ELSE →
    DO: session_id = session
  DO: session_dir = "{root}/{session_id}"
  DO: mkdir -p -- {session_dir}
  IF: mode is null → EMIT: SESSION_OPENED
  ELSE → EMIT: SESSION_OPENED mode={mode}
