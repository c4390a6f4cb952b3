// The time of `podtrail sandbox`, seen through its API: that of the machine.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Client, loadClusterConfig } from '@podtrail/machinery';

const PROGRAM = fileURLToPath(new URL('../main.ts', import.meta.url));

test('the clock of the sandbox is within two seconds of the machine, and no object is from the future', {
  timeout: 120_000,
}, async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'podtrail-test-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const kubeconfig = join(directory, 'kubeconfig');
  const flags = ['--nodes', '4', '--pods', '60', '--seed', '7', '--speed', '0', '--kubeconfig-out', kubeconfig];
  const child = spawn(process.execPath, [PROGRAM, 'sandbox', ...flags], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(() => child.kill('SIGKILL'));
  await once(createInterface({ input: child.stdout }), 'line');
  const client = Client.connect(await loadClusterConfig({ kubeconfig }));
  t.after(() => client.close());
  const before = Date.now();
  const made = await client.configMaps('default').create({ metadata: { name: 'now' } });
  const after = Date.now();
  const { items } = await client.pods().list();
  const created = items.map(({ metadata }) => Date.parse(String(metadata.creationTimestamp)));
  assert.ok(Math.max(...created) <= after, `a pod was created ${Math.max(...created) - after} ms from now`);
  // Of whole seconds, rounded down.
  const shown = Date.parse(String(made.metadata.creationTimestamp));
  assert.ok(shown <= after && shown > before - 2_000, `it shows ${shown - after} ms from now`);
});
