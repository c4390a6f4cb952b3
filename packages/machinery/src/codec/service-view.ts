// What we keep of a Service: the addresses that it answers to and the pods that it selects.
import { type MetadataView, NO_ITEMS } from './metadata-view.ts';
import { StringMap } from './string-map.ts';

export class ServiceView {
  readonly metadata: MetadataView;
  readonly spec: ServiceSpecView;
  readonly status: ServiceStatusView;

  constructor(metadata: MetadataView, spec: ServiceSpecView, status: ServiceStatusView) {
    this.metadata = metadata;
    this.spec = spec;
    this.status = status;
  }
}

export class ServiceSpecView {
  readonly type: string = '';
  /** An address, 'None' for a headless service, or ''. */
  readonly clusterIP: string = '';
  readonly clusterIPs: readonly string[] = NO_ITEMS;
  readonly externalIPs: readonly string[] = NO_ITEMS;
  readonly externalName: string = '';
  readonly selector: StringMap = StringMap.EMPTY;
}

export class ServiceStatusView {
  readonly loadBalancer: LoadBalancerView;

  constructor(loadBalancer: LoadBalancerView) {
    this.loadBalancer = loadBalancer;
  }
}

export class LoadBalancerView {
  readonly ingress: readonly LoadBalancerIngressView[];

  constructor(ingress: readonly LoadBalancerIngressView[]) {
    this.ingress = ingress;
  }
}

/** One of the two is set. */
export class LoadBalancerIngressView {
  readonly ip: string;
  readonly hostname: string;

  constructor(ip: string, hostname: string) {
    this.ip = ip;
    this.hostname = hostname;
  }
}
