// Owners and namespaces that go and take their pods along, and those that only went at about that time.
import { CART, OLD, owned } from '../testing/cart-builders.ts';
import { aCase, aLife, END, evidence, object, POD } from '../testing/case-builders.ts';
import { verdictTable } from '../testing/verdict-table.ts';

const SHOP = object('Namespace', 'shop');

verdictTable('owners and namespaces', {
  'a namespace that is being deleted takes its pods along': [
    aCase(aLife(), { namespace: [evidence(SHOP, 'terminating', 999)] }),
    { cause: 'NamespaceDeleted', certainty: 'inferred', sentence: 'was deleted with namespace shop.', cites: 1 },
  ],
  'the namespace and not the owner that it took along': [
    aCase(aLife(owned), {
      owner: [evidence(OLD, 'deleted', 999)],
      namespace: [evidence(SHOP, 'terminating', 998)],
    }),
    { cause: 'NamespaceDeleted' },
  ],
  'a namespace that was deleted later had nothing to do with it': [
    aCase(aLife(), { namespace: [evidence(SHOP, 'terminating', END + 60)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'a namespace that was deleted three seconds later: both times are of the API server': [
    aCase(aLife(), { namespace: [evidence(SHOP, 'terminating', END + 3), evidence(SHOP, 'deleted', END + 4)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'an owner that was to be deleted three seconds later': [
    aCase(aLife(owned), { owner: [evidence(OLD, 'terminating', END + 3)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'an owner of which nobody saw more than that it was gone, by the clock of who watched': [
    aCase(aLife(owned), { owner: [evidence(OLD, 'deleted', END + 3)] }),
    { cause: 'OwnerDeleted' },
  ],
  'a namespace of the same name that was deleted before': [
    aCase(aLife(), {
      namespace: [evidence({ ...SHOP, uid: 'old' }, 'deleted', 500), evidence(SHOP, 'created', 600)],
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'the highest owner that went is named': [
    aCase(aLife(owned), {
      owner: [evidence(OLD, 'deleted', 999)],
      workload: [evidence(CART, 'deleted', 998)],
    }),
    { cause: 'OwnerDeleted', certainty: 'inferred', sentence: 'was deleted with Deployment cart.', cites: 1 },
  ],
  'an owner that waits for its pods to go': [
    aCase(aLife(owned), { owner: [evidence(OLD, 'terminating', 999)] }),
    { cause: 'OwnerDeleted', sentence: 'was deleted with ReplicaSet cart-old.' },
  ],
  'another ReplicaSet that was cleaned up is not its owner': [
    aCase(aLife(owned), {
      workload: [evidence(object('ReplicaSet', 'cart-older'), 'deleted', 999, { related: CART })],
    }),
    { cause: 'DeletedOnRequest' },
  ],
  'an owner that was deleted after the pod had ended': [
    aCase(aLife(owned), { owner: [evidence(OLD, 'deleted', END + 60)] }),
    { cause: 'DeletedOnRequest' },
  ],
  'the audit log knows that the garbage collector deleted it': [
    aCase(aLife(owned), {
      pod: [
        evidence(POD, 'audited', END, {
          reason: 'delete',
          by: 'system:serviceaccount:kube-system:generic-garbage-collector',
        }),
      ],
      owner: [evidence(OLD, 'deleted', 999)],
    }),
    { cause: 'OwnerDeleted', certainty: 'certain', cites: 2 },
  ],
  'the audit log names a person who deleted it while the namespace was going': [
    aCase(aLife(), {
      pod: [evidence(POD, 'audited', END, { reason: 'delete', by: 'alice' })],
      namespace: [evidence(SHOP, 'terminating', 999)],
    }),
    { cause: 'DeletedOnRequest', actor: 'alice' },
  ],
  'controllers that share one account are nobody': [
    aCase(aLife(), {
      pod: [evidence(POD, 'audited', END, { reason: 'delete', by: 'system:kube-controller-manager' })],
      namespace: [evidence(SHOP, 'terminating', 999)],
    }),
    { cause: 'NamespaceDeleted', certainty: 'inferred', actor: undefined },
  ],
});
