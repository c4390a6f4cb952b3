// What we keep of an Event (events.k8s.io/v1): what was said of which object, by whom, and when. Events written through
// the older core API carry their times in the deprecated fields.
import type { MetadataView } from './metadata-view.ts';

export class EventView {
  readonly metadata: MetadataView;
  /** Epoch milliseconds, like every time in a view; the microseconds are cut off. */
  readonly eventTime: number | undefined = undefined;
  readonly reason: string = '';
  readonly note: string = '';
  /** "Normal" or "Warning". */
  readonly type: string = '';
  readonly action: string = '';
  readonly regarding: ObjectReferenceView = ObjectReferenceView.EMPTY;
  readonly related: ObjectReferenceView | undefined = undefined;
  readonly reportingController: string = '';
  readonly reportingInstance: string = '';
  readonly series: EventSeriesView | undefined = undefined;
  readonly deprecatedSource: EventSourceView = EventSourceView.EMPTY;
  readonly deprecatedCount: number = 0;
  readonly deprecatedFirstTimestamp: number | undefined = undefined;
  readonly deprecatedLastTimestamp: number | undefined = undefined;

  constructor(metadata: MetadataView) {
    this.metadata = metadata;
  }
}

export class ObjectReferenceView {
  static readonly EMPTY: ObjectReferenceView = new ObjectReferenceView('', '', '', '', '');

  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;

  constructor(apiVersion: string, kind: string, namespace: string, name: string, uid: string) {
    this.apiVersion = apiVersion;
    this.kind = kind;
    this.namespace = namespace;
    this.name = name;
    this.uid = uid;
  }
}

export class EventSeriesView {
  readonly count: number;
  readonly lastObservedTime: number | undefined;

  constructor(count: number, lastObservedTime: number | undefined) {
    this.count = count;
    this.lastObservedTime = lastObservedTime;
  }
}

export class EventSourceView {
  static readonly EMPTY: EventSourceView = new EventSourceView('', '');

  readonly component: string;
  readonly host: string;

  constructor(component: string, host: string) {
    this.component = component;
    this.host = host;
  }
}
