#include "import_json/stack_rows.h"

void stack_rows_add(struct stack_rows *rows)
{
	vec_push(&rows->at, ((struct stack_row){0, STACK_NONE, STACK_NONE}));
}

uint32_t stack_rows_node(struct stack_rows *rows, struct builder *b, uint32_t row)
{
	VEC(uint32_t) path = {0};
	uint32_t node = 0;

	for (; row != STACK_NONE; row = rows->at.at[row].parent) {
		if (rows->at.at[row].node != STACK_NONE) {
			node = rows->at.at[row].node;
			break;
		}
		rows->at.at[row].node = 0;
		vec_push(&path, row);
	}
	for (size_t i = path.n; i-- > 0;) {
		struct stack_row *s = &rows->at.at[path.at[i]];

		if (s->frame)
			node = profile_node(b->profile, node, s->frame);
		s->node = node;
	}
	vec_release(&path);
	return node;
}
