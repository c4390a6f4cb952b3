// For tests of serving in other packages: a server that believes everybody, a ledger of two tenants, and requests made
// from an OpenAPI document.
export {
  type AskedValues,
  allOf,
  LIST_TOOLS,
  listedTools,
  requestValues,
  toolCall,
  toolCalls,
} from './asked-values.ts';
export {
  type DescribedApi,
  type DescribedRequest,
  describedRequests,
  type RequestValues,
} from './described-requests.ts';
export { type HistoryPortOptions, startHistoryPort } from './history-port.ts';
export { accessOf, type StartedServer, startedServer } from './started-server.ts';
export { AGAIN, NOW, SINCE, tenantFacts, UNTIL } from './two-tenants.ts';
