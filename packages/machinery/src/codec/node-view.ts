// What we keep of a Node: its addresses and capacity, whether pods may go there, and how it feels.
import { type MetadataView, NO_ITEMS } from './metadata-view.ts';
import { NO_CONTENTS } from './node-contents.ts';
import { StringMap } from './string-map.ts';

export class NodeView {
  readonly metadata: MetadataView;
  readonly spec: NodeSpecView;
  readonly status: NodeStatusView;

  constructor(metadata: MetadataView, spec: NodeSpecView, status: NodeStatusView) {
    this.metadata = metadata;
    this.spec = spec;
    this.status = status;
  }
}

export class NodeSpecView {
  readonly podCIDRs: readonly string[] = NO_ITEMS;
  readonly unschedulable: boolean = false;
  readonly taints: readonly TaintView[] = NO_ITEMS;
  readonly providerID: string = '';
}

export class TaintView {
  readonly key: string = '';
  readonly value: string = '';
  readonly effect: string = '';
  readonly timeAdded: number | undefined = undefined;
}

export class NodeStatusView {
  readonly addresses: readonly NodeAddressView[] = NO_ITEMS;
  /** Quantities as Kubernetes writes them: "8", "32Gi". */
  readonly capacity: StringMap = StringMap.EMPTY;
  readonly allocatable: StringMap = StringMap.EMPTY;
  readonly conditions: readonly NodeConditionView[] = NO_ITEMS;
  readonly nodeInfo: NodeInfoView = NodeInfoView.EMPTY;
  /** A digest of its images and of the volumes in use: another one when those change. */
  readonly contents: number = NO_CONTENTS;
}

export class NodeAddressView {
  /** "InternalIP", "Hostname" … */
  readonly type: string;
  readonly address: string;

  constructor(type: string, address: string) {
    this.type = type;
    this.address = address;
  }
}

export class NodeConditionView {
  readonly type: string = '';
  readonly status: string = '';
  readonly lastHeartbeatTime: number | undefined = undefined;
  readonly lastTransitionTime: number | undefined = undefined;
  readonly reason: string = '';
  readonly message: string = '';
}

export class NodeInfoView {
  static readonly EMPTY: NodeInfoView = new NodeInfoView('', '', '');

  readonly machineID: string;
  /** Changes at every boot: the sign of a restart that no condition shows. */
  readonly bootID: string;
  readonly kubeletVersion: string;

  constructor(machineID: string, bootID: string, kubeletVersion: string) {
    this.machineID = machineID;
    this.bootID = bootID;
    this.kubeletVersion = kubeletVersion;
  }
}
