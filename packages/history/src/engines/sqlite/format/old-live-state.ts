// What stores up to version 4 remembered of living holders, field by field. Read only: whatever is written now is the
// observer's own text, and an old row goes with the holder's next observation.
import type { LiveHolder, LiveMore, LiveState } from '../../../model/fact.ts';
import type { Holder } from '../../../model/records.ts';
import type { EpochMillis } from '../../../model/time.ts';
import { serializeLive } from '../../../observe/live-state.ts';
import type { RecordReader } from './record-reader.ts';

export function oldLiveState(reader: RecordReader): LiveState {
  const live = oldLiveHolder(reader);
  return { uid: live.holder.uid, state: serializeLive(live) };
}

function oldLiveHolder(reader: RecordReader): LiveHolder {
  const holder = reader.holder();
  const holderOrSame = (): Holder => (reader.byte() === 1 ? holder : reader.holder());
  const epoch = reader.uint();
  const resourceVersion = reader.version({ time: 0, version: 0 });
  const seenAt = reader.int() as EpochMillis;
  const terminal = reader.byte() === 1;
  const blankSince = reader.optional();
  const networkReadyAt = reader.optional();
  const networkLostAt = reader.optional();
  const tenures = Array.from({ length: reader.uint() }, () => reader.records(holderOrSame()).tenures[0]!);
  const placement = reader.byte() === 1 ? reader.records(holderOrSame()).placement : undefined;
  const annotations = Array.from({ length: reader.uint() }, () => [reader.text(), reader.value()!] as const);
  const live = {
    holder,
    epoch,
    resourceVersion,
    seenAt,
    terminal,
    tenures,
    placement,
    blankSince,
    networkReadyAt,
    networkLostAt,
    annotations,
  };
  return reader.isAtEnd ? live : { ...live, more: JSON.parse(reader.text()) as LiveMore };
}
