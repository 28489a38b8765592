(program) @local.scope
(block) @local.scope
(instruction binds: (name) @local.definition)
(actions binds: (name) @local.definition)
(instruction declares: (name) @local.definition)
(name) @local.reference
