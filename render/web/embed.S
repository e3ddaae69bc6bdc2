/* The page's files as bytes of the program; see web.h. Assembled from the top of the tree. */
	.section .rodata

.macro begin symbol
	.global \symbol, \symbol\()_end
	.type \symbol, @object
	.balign 16
\symbol:
.endm

.macro end symbol
\symbol\()_end:
	.byte 0
	.size \symbol, \symbol\()_end - \symbol
.endm

	begin web_page_html
	.incbin "render/web/page.html"
	end web_page_html

	begin web_page_css
	.incbin "render/web/page.css"
	end web_page_css

/* One script, lowest first. */
	begin web_page_js
	.incbin "render/web/reader.js"
	.incbin "render/web/units.js"
	.incbin "render/web/tree.js"
	.incbin "render/web/canvas.js"
	.incbin "render/web/table.js"
	.incbin "render/web/flame.js"
	.incbin "render/web/parts.js"
	.incbin "render/web/page.js"
	end web_page_js

	.section .note.GNU-stack, "", @progbits
