// Something that Kubernetes should not have reported, or a clock that cannot be right.
import type { Anomaly } from '../../model/records.ts';
import { versionKey } from '../order.ts';
import type { OccurrenceType } from './occurrence-type.ts';

export const ANOMALY: OccurrenceType<Anomaly> = {
  number: 3,
  place: (anomaly) => ({ time: anomaly.observedAt, key: `${anomaly.what}|${anomaly.uid}|${versionKey(anomaly)}` }),
  about: ({ uid }) => ({ holders: [{ uid }] }),
  retention: 'shared',
  write(body, anomaly) {
    body.provenance(anomaly);
    body.text(anomaly.what);
    body.text(anomaly.uid);
    body.text(anomaly.detail);
  },
  read(body) {
    const provenance = body.provenance();
    const what = body.text() as Anomaly['what'];
    return { ...provenance, what, uid: body.text(), detail: body.text() };
  },
  parse(line) {
    const what = line.oneOf('what', ['node-changed', 'clock-skew', 'unparsable-address'] as const);
    return { ...line.provenance(), what, uid: line.text('uid'), detail: line.text('detail') };
  },
};
