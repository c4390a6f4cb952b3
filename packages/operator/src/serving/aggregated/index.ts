// The aggregated API: what the operator's process puts together.
export { AggregatedApi } from './aggregated-api.ts';
export { AggregatedServer } from './aggregated-server.ts';
export { Registration, type ServiceAddress } from './registration.ts';
