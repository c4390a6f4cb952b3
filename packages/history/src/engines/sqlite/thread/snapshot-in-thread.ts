// A snapshot for whoever answers inside the thread: what would be packed for its way out of it is given as it is. Made by
// snapshots.ts.
import type { Tenure } from '../../../model/records.ts';
import type { Moment } from '../../snapshot.ts';
import { type QuestionLine, SqliteSnapshot } from '../sqlite-snapshot.ts';

export class SnapshotInThread extends SqliteSnapshot {
  readonly #line: QuestionLine;

  constructor(cluster: string, line: QuestionLine) {
    super(cluster, line);
    this.#line = line;
  }

  override tenuresAtMany(moments: readonly Moment[]): Promise<readonly (readonly Tenure[])[]> {
    return this.#line.read('tenuresAtEach', this.cluster, moments);
  }
}
