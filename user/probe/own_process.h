/*
 * own_process: what the processes have in common that work for a capture as long as it lasts.
 */
#ifndef PROBE_OWN_PROCESS_H
#define PROBE_OWN_PROCESS_H

/* In the new process: it is no member of the user's session from now on, ends by no signal that is
 * sent to all of that, and is in nobody's way. */
void own_process_leave(void);

#endif
