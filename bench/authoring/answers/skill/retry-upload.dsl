INPUT: file

STATE: UPLOAD
  DO [retry=3/100ms..400ms]: upload-file {file}
  DO [once]: note-done {file}
  RETURN: uploaded {file}
