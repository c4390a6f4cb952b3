// What a process needs to serve the ledger: a server, who may ask, and what is sent.
export type { Access, Caller } from './access/access.ts';
export { serveToolLines } from './mcp/stdio.ts';
export { Problem, type ProblemDocument } from './problem.ts';
