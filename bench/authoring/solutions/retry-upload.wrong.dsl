INPUT: file (string)
DO [retry=4/100ms]: upload-file {file}
DO: note-done {file}
RETURN: uploaded
