// cflags: -shared -fPIC -O2
/*
 * A library for scripts. Its burn(n) counts down from n; its frame is found by a rule that no table
 * has a form for: so the loader walks each stack with it, from a copy. For Node it is a module with
 * that function; whoever else loads it knows nothing of what that needs.
 */
#include <stddef.h>
#include <stdint.h>

/* As in rules.c: the frame is at *(rsp + 8 + (r9 << 3)) + 8. */
void burn(uint64_t n);
/* Calls f(n). Its frame's end is said to be 1 GiB above, where nothing is: no walk gets further. */
void lost(void (*f)(uint64_t), uint64_t n);
__asm__(".text\n.globl burn\n.type burn, @function\nburn:\n.cfi_startproc\n"
	"mov %rsp, %rax\n.cfi_def_cfa_register rax\n"
	"mov $3, %r9d\n"
	"sub $72, %rsp\n"
	"mov %rax, 8(%rsp, %r9, 8)\n"
	".cfi_escape 0x0f, 10, 0x77, 8, 0x79, 0, 0x33, 0x24, 0x22, 0x06, 0x23, 8\n"
	"1: dec %rdi\njnz 1b\n"
	"mov 8(%rsp, %r9, 8), %rsp\n.cfi_def_cfa rsp, 8\n"
	"ret\n.cfi_endproc\n.size burn, . - burn\n"
	".globl lost\n.type lost, @function\nlost:\n.cfi_startproc\n"
	"sub $8, %rsp\n.cfi_def_cfa rsp, 0x40000000\n"
	"mov %rdi, %rax\nmov %rsi, %rdi\n"
	"call *%rax\n"
	"add $8, %rsp\n.cfi_def_cfa rsp, 8\n"
	"ret\n.cfi_endproc\n.size lost, . - lost\n");

void spin(uint64_t n)
{
	for (volatile uint64_t i = 0; i < n; i++)
		;
}

void lost_spin(uint64_t n)
{
	lost(spin, n);
}

#define WEAK __attribute__((weak))

/* Of Node's interface for modules in C. */
WEAK int napi_get_cb_info(void *env, void *info, size_t *n, void **arguments, void **self,
			  void **data);
WEAK int napi_get_value_double(void *env, void *value, double *out);
WEAK int napi_create_function(void *env, const char *name, size_t length,
			      void *(*function)(void *env, void *info), void *data, void **out);

static void *burn_for_node(void *env, void *info)
{
	void *argument = NULL;
	size_t n = 1;
	double count = 0;

	if (!napi_get_cb_info(env, info, &n, &argument, NULL, NULL) &&
	    !napi_get_value_double(env, argument, &count) && count >= 1)
		burn((uint64_t)count);
	return NULL;
}

void *napi_register_module_v1(void *env, void *exports)
{
	void *function = NULL;

	if (napi_create_function(env, "burn", 4, burn_for_node, NULL, &function))
		return exports;
	return function;
}
