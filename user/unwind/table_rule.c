#include "unwind/table_rule.h"

#define MAX_RULES 65535

#define NO_REGISTER 0xff

/* What a look at one more place takes. */
#define PROBE_STEPS 8

struct saved {
	uint8_t how; /* enum table_saved */
	short offset;
};

static bool fits(int64_t offset)
{
	return offset == (short)offset;
}

/* @reg is the rule's saved_reg, shared by all registers saved relative to a register: NO_REGISTER
 * until one is. */
static struct saved save(const struct cfi_value *v, uint8_t *reg)
{
	switch (v->how) {
	case CFI_SAME:
		return (struct saved){.how = TABLE_SAME};
	case CFI_UNDEFINED:
		return (struct saved){.how = TABLE_UNDEFINED};
	case CFI_AT_CFA:
		if (fits(v->offset))
			return (struct saved){TABLE_AT_CFA, (short)v->offset};
		break;
	case CFI_REG:
		if (!v->offset)
			return (struct saved){TABLE_IN_REG, v->reg};
		break;
	case CFI_AT_REG:
		if (v->add || !fits(v->offset) || (*reg != NO_REGISTER && *reg != v->reg))
			break;
		*reg = v->reg;
		return (struct saved){TABLE_AT_DEREF, (short)v->offset};
	}
	return (struct saved){.how = TABLE_SAVED_OTHER};
}

/* @reg as for save(): the only register, besides the CFA's, for which a rule has room. */
static void set_cfa(struct table_rule *r, const struct cfi_value *v, uint8_t *reg)
{
	static const uint8_t kinds[] = {
		[CFI_NONE] = TABLE_CFA_NONE,	[CFI_REG] = TABLE_CFA_REG,
		[CFI_AT_REG] = TABLE_CFA_DEREF, [CFI_AT_INDEX] = TABLE_CFA_INDEX,
		[CFI_PLT] = TABLE_CFA_PLT,
	};

	if (v->how == CFI_NONE)
		return;
	r->cfa = v->how < sizeof(kinds) && kinds[v->how] && fits(v->add) ? kinds[v->how]
									 : TABLE_CFA_OTHER;
	if (r->cfa == TABLE_CFA_OTHER)
		return;
	if (r->cfa == TABLE_CFA_PLT) {
		r->reg = CFI_RSP;
		r->cfa_add = (short)v->offset;
		return;
	}
	if (r->cfa == TABLE_CFA_INDEX)
		*reg = v->index;
	r->reg = v->reg;
	r->cfa_offset = v->offset;
	r->cfa_add = (short)v->add;
}

struct table_rule table_rule_of(const struct cfi_row *row)
{
	struct table_rule r = {0};
	struct saved ra, bp;
	uint8_t reg = NO_REGISTER;

	set_cfa(&r, &row->cfa, &reg);
	if (r.cfa == TABLE_CFA_NONE)
		return r;
	ra = save(&row->ra, &reg);
	bp = save(&row->bp, &reg);
	r.ra = ra.how;
	r.ra_offset = ra.offset;
	r.bp = bp.how;
	r.bp_offset = bp.offset;
	r.saved_reg = reg == NO_REGISTER ? 0 : reg;
	r.flags = row->signal ? TABLE_SIGNAL : 0;
	return r;
}

static uint64_t hash_rule(const struct table_rule *r)
{
	uint64_t words[2];

	memcpy(words, r, sizeof(words));
	return hash_two(words[0], words[1]);
}

uint16_t table_rules_add(struct table_rules *rules, const struct table_rule *r)
{
	uint64_t hash = hash_rule(r);
	const uint32_t *found;
	bool fresh;

	/* Rules with the same hash are stored under consecutive keys. */
	while ((found = map_get(&rules->by_hash, hash))) {
		if (!memcmp(&rules->at.at[*found], r, sizeof(*r)))
			return (uint16_t)*found;
		hash++;
		/* Many may have been made to have one hash. */
		if (!budget_steps(rules->budget, PROBE_STEPS))
			return TABLE_RULE_OTHER;
	}
	if (rules->at.n == MAX_RULES)
		return TABLE_RULE_OTHER;
	*map_put(&rules->by_hash, hash, &fresh) = (uint32_t)rules->at.n;
	vec_push(&rules->at, *r);
	return (uint16_t)(rules->at.n - 1);
}

void table_rules_init(struct table_rules *rules, struct budget *budget)
{
	*rules = (struct table_rules){.budget = budget};
	table_rules_add(rules, &(struct table_rule){.cfa = TABLE_CFA_NONE});
	table_rules_add(rules, &(struct table_rule){.cfa = TABLE_CFA_OTHER,
						    .ra = TABLE_SAVED_OTHER,
						    .bp = TABLE_SAVED_OTHER});
}

void table_rules_release(struct table_rules *rules)
{
	vec_release(&rules->at);
	map_release(&rules->by_hash);
}
