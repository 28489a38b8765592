(comment) @comment
(note) @comment
(verb) @keyword
(parallel) @keyword
(members) @keyword
(operator) @operator
(arrow) @operator
(number) @number
(string) @string
(text) @string
(text_block) @string
(reference) @variable.builtin
(field) @property
(key) @property
(name) @variable
(agent) @type
(tool) @function
(path) @string
(instruction declares: (name) @function)
(instruction target: (name) @function)
(actions target: (name) @function)
(interpolation ["{" "}"] @punctuation.special)
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
["," ":"] @punctuation.delimiter
