/* The page's files as bytes of the program; see web.h. Assembled from the top of the tree. */
#ifdef __CET__
#include <cet.h> /* marks this file as safe for IBT and shadow stacks */
#endif
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
	.incbin "render/web/names.js"
	.incbin "render/web/tree.js"
	.incbin "render/web/data.js"
	.incbin "render/web/sums.js"
	.incbin "render/web/model.js"
	.incbin "render/web/grow.js"
	.incbin "render/web/regroup.js"
	.incbin "render/web/timeorder.js"
	.incbin "render/web/keys.js"
	.incbin "render/web/canvas.js"
	.incbin "render/web/conditions.js"
	.incbin "render/web/table.js"
	.incbin "render/web/graph.js"
	.incbin "render/web/minimap.js"
	.incbin "render/web/detail.js"
	.incbin "render/web/menu.js"
	.incbin "render/web/threadlist.js"
	.incbin "render/web/modes.js"
	.incbin "render/web/finder.js"
	.incbin "render/web/acts.js"
	.incbin "render/web/beside.js"
	.incbin "render/web/flame.js"
	.incbin "render/web/treegrid.js"
	.incbin "render/web/paths.js"
	.incbin "render/web/follow.js"
	.incbin "render/web/cards.js"
	.incbin "render/web/calls.js"
	.incbin "render/web/time/timechart.js"
	.incbin "render/web/time/heat.js"
	.incbin "render/web/time/threadstates.js"
	.incbin "render/web/time/lanes.js"
	.incbin "render/web/time/ownwork.js"
	.incbin "render/web/time/callchart.js"
	.incbin "render/web/time/calllanes.js"
	.incbin "render/web/theme.js"
	.incbin "render/web/settings.js"
	.incbin "render/web/captures.js"
	.incbin "render/web/help.js"
	.incbin "render/web/diff.js"
	.incbin "render/web/parts.js"
	.incbin "render/web/page.js"
	end web_page_js

/* The script of SVG flame graphs. */
	begin web_picture_js
	.incbin "render/web/picture.js"
	end web_picture_js

	.section .note.GNU-stack, "", @progbits
