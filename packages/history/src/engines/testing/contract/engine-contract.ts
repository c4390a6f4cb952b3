// What every engine must do, run for each by its own test file. An engine that cannot do something yet skips nothing:
// it is not an engine.
import { afterEach, beforeEach, suite } from 'node:test';
import { ContractStage, type Subject } from './contract-stage.ts';
import { fidelity } from './fidelity.ts';
import { histories } from './histories.ts';
import { recording } from './recording.ts';
import { retention } from './retention.ts';
import { sameness } from './sameness.ts';
import { snapshots } from './snapshots.ts';
import { allStays } from './stays-within.ts';
import { tenuresAt } from './tenures-at.ts';

export function engineContract(subject: Subject): void {
  suite(`the engine contract, ${subject.name}`, () => {
    const stage = new ContractStage(subject);
    beforeEach(() => stage.begin());
    afterEach(() => stage.end());
    tenuresAt(stage);
    histories(stage);
    recording(stage);
    retention(stage);
    fidelity(stage);
    sameness(stage);
    allStays(stage);
    snapshots(stage);
  });
}
