// A small cluster that lives for some minutes, and the truth about its addresses. Written from what Kubernetes does
// (kubelets of three ages, reboots, partitions, names and addresses that come back), without a look at how the ledger
// thinks; it shares nothing with the other simulations on purpose, so that they do not share blind spots.
import { MadeNodes } from './made-nodes.ts';
import { MadePods } from './made-pods.ts';
import { MadeServices } from './made-services.ts';
import type { Kubelet, World, WorldPlan } from './made-shapes.ts';
import { WorldBook } from './world-book.ts';

const KUBELETS: readonly Kubelet[] = ['early', 'joint', 'none'];
const CLUSTER_IPS = ['10.96.0.1', '10.96.0.2', '10.96.0.3', 'fd96::1', 'fd96::2'];

export function makeWorld({ seed, seconds, pods, harsh, kubelets = KUBELETS }: WorldPlan): World {
  const book = new WorldBook(seed);
  const c = book.chance;
  const end = book.from + seconds * 1000;
  const nodes = new MadeNodes(book, kubelets);
  for (let n = 0; n < 3; n++) nodes.addMachine(n);
  book.ips.push(...CLUSTER_IPS);
  const services = new MadeServices(book, CLUSTER_IPS);
  const madePods = new MadePods(book, nodes);
  for (let p = 0; p < pods; p++) book.later(c.int(0, seconds * 900), () => madePods.createPod());
  for (let s = 0; s < Math.ceil(seconds / 20); s++) book.later(c.int(0, seconds * 900), () => services.createService());
  for (let n = 0; n < 2; n++) if (c.is(0.6)) book.later(c.int(5, seconds) * 900, () => nodes.changeNode());
  if (harsh) {
    if (c.is(0.6)) book.later(c.int(10, seconds) * 800, () => madePods.reboot(c.one(nodes.machines)));
    if (c.is(0.6)) book.later(c.int(10, seconds) * 800, () => madePods.cut(c.one(nodes.machines)));
  }
  book.runUntil(end);
  book.grayUntold();
  const { from, writes, holds, grays, ips, story } = book;
  return { from, to: end, writes, holds, grays, ips, story };
}
