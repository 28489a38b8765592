[(block) (entries) (shell) (text_block)] @fold
