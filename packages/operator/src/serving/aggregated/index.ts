// The aggregated API: what the operator's process puts together.
export { aggregatedRoutes } from './aggregated-api.ts';
export { Registration, type ServiceAddress } from './registration.ts';
export { ServingTls } from './serving-tls.ts';
export { isClusterPath, statusReply } from './status.ts';
