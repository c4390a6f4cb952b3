// The V8 flags that machinery recommends for a process with a large cache (see its README); this benchmark runs with them.

/**
 * A small young generation: what a listing decodes is kept almost entirely, so that a large one only means copying it
 * twice and holding more empty room.
 */
export const NODE_FLAGS: readonly string[] = ['--max-semi-space-size=4'];
