// What `podtrail serve` and `podtrail demo` begin with; the help of both shows it without loading a server.

export const DEFAULT_PORT = 7080;
/** Requests a second; one person and their scripts, and nobody who keeps others out. */
export const DEFAULT_RATE = 2_000;
