((shell) @injection.content (#set! injection.language "bash"))
((text_block) @injection.content (#set! injection.language "markdown"))
