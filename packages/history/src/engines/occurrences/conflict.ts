// Two holders showed one address at once.
import type { IpAddress } from '../../model/ip-address.ts';
import type { Conflict } from '../../model/records.ts';
import { versionKey } from '../order.ts';
import { LineProblem } from './line.ts';
import type { OccurrenceType } from './occurrence-type.ts';

export const CONFLICT: OccurrenceType<Conflict> = {
  number: 2,
  place(conflict) {
    const uids = conflict.holders.map((holder) => holder.uid).join('|');
    return { time: conflict.observedAt, key: `${conflict.ip}|${uids}|${versionKey(conflict)}` };
  },
  about: ({ holders, ip }) => ({ holders, ip }),
  retention: 'shared',
  write(body, conflict) {
    body.provenance(conflict);
    body.text(conflict.ip);
    for (const holder of conflict.holders) body.holder(holder);
  },
  read(body) {
    const provenance = body.provenance();
    const ip = body.text() as IpAddress;
    return { ...provenance, ip, holders: [body.holder(), body.holder()] };
  },
  parse(line) {
    const [first, second] = line.list('holders').map((one) => one.holder());
    if (first === undefined || second === undefined) throw new LineProblem('a conflict has two holders');
    return { ...line.provenance(), ip: line.ip('ip'), holders: [first, second] };
  },
};
