// What a process needs to serve the ledger: a server, who may ask, and what is sent.
export type { Access, Caller } from './access/access.ts';
export { checkLoopback, LoopbackAccess, type LoopbackOptions } from './access/loopback.ts';
export { clusterCommandRoutes, type RunCommand } from './aggregated/commands.ts';
export { type ApiOptions, apiRoutes } from './api/api-routes.ts';
export { AskedLedger, type AskedReader } from './api/asked-ledger.ts';
export type { AttributeLog } from './api/attribute-route.ts';
export { historyProblem } from './api/history-problems.ts';
export { API, type Operation } from './api/operation.ts';
export { QueryParameters } from './api/query-parameters.ts';
export { questionRoutes } from './api/question-routes.ts';
export type { TrackerSource } from './api/trackers-route.ts';
export type { AccessLog, AccessLogEntry } from './http/access-log.ts';
export { HttpRequest } from './http/http-request.ts';
export { type DroppedConnection, type HttpLimits, HttpServer, type HttpServerOptions } from './http/http-server.ts';
export { probeRoutes } from './http/probe-routes.ts';
export { problemDocument, type RenderProblem, renderProblem } from './http/problem-reply.ts';
export { QuestionGate } from './http/question-gate.ts';
export { RateLimit } from './http/rate-limit.ts';
export {
  jsonReply,
  type Reply,
  type ReplyStream,
  type StreamedReply,
  textReply,
  type WholeReply,
} from './http/reply.ts';
export type { Route } from './http/route.ts';
export { type McpRouteOptions, mcpRoute } from './mcp/mcp-route.ts';
export { serveToolLines } from './mcp/stdio.ts';
export { type PageFiles, type PageSource, pageRoutes } from './page/page-routes.ts';
export { Problem, type ProblemDocument } from './problem.ts';
