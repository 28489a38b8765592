INPUT: file (string)
DO [retry=3/100ms]: upload-file {file:path}
DO: note-done {file:path}
RETURN: uploaded
