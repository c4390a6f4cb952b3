// Who scaled a workload down: an autoscaler reports it itself, a person is named by the audit log only.
import { asked, CART, deleted, OLD, ofOld, rolled, scaling, shrunk, sibling } from './testing/cart-builders.ts';
import { aCase, aLife, aPod, END, event, evidence, object, POD } from './testing/case-builders.ts';
import { verdictTable } from './testing/verdict-table.ts';

const HPA = 'system:serviceaccount:kube-system:horizontal-pod-autoscaler';
const rescaled = (seconds: number, message: string) =>
  event(object('HorizontalPodAutoscaler', 'cart'), 'horizontal-pod-autoscaler', 'SuccessfulRescale', seconds, message);
const DB = object('StatefulSet', 'db');
const DB_WORKLOAD = { kind: 'StatefulSet', name: 'db', inferred: false };

verdictTable('who scaled a workload down', {
  'a HorizontalPodAutoscaler says that it scaled down': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [
        event(
          object('HorizontalPodAutoscaler', 'cart'),
          'horizontal-pod-autoscaler',
          'SuccessfulRescale',
          999,
          'New size: 2; reason: All metrics below target',
        ),
      ],
    }),
    {
      cause: 'ScaledDown',
      sentence: 'was removed when Deployment cart was scaled down by HorizontalPodAutoscaler cart.',
      actor: 'HorizontalPodAutoscaler cart',
      cites: 2,
    },
  ],
  'a person who scales down while an autoscaler did so for other pods fifty seconds before': [
    aCase(aLife(rolled), {
      owner: [
        shrunk(OLD, END - 50, 'generation 3, 5 replicas desired, 6 before'),
        shrunk(OLD, END - 0.3, 'generation 4, 3 replicas desired, 5 before'),
        deleted,
      ],
      workload: [rescaled(END - 50, 'New size: 5; reason: All metrics below target')],
    }),
    { cause: 'ScaledDown', certainty: 'certain', actor: undefined },
  ],
  'an autoscaler whose number was changed, and is wanted again since: it was somebody else': [
    aCase(aLife(rolled), {
      owner: [
        shrunk(OLD, END - 50, 'generation 3, 5 replicas desired, 6 before'),
        shrunk(OLD, END - 30, 'generation 4, 6 replicas desired, 5 before'),
        shrunk(OLD, END - 0.3, 'generation 5, 5 replicas desired, 6 before'),
        deleted,
      ],
      workload: [rescaled(END - 50, 'New size: 5; reason: All metrics below target')],
    }),
    { cause: 'ScaledDown', certainty: 'certain', actor: undefined },
  ],
  'an autoscaler that scaled for this pod, though its clock is twenty seconds off': [
    aCase(aLife(rolled), {
      owner: [shrunk(OLD, END - 0.3, 'generation 4, 3 replicas desired, 5 before'), deleted],
      workload: [rescaled(END - 20, 'New size: 3; reason: All metrics below target')],
    }),
    { cause: 'ScaledDown', actor: 'HorizontalPodAutoscaler cart' },
  ],
  'a person who asked for another number than the one for which the pod was removed': [
    aCase(aLife(rolled), {
      owner: [
        shrunk(OLD, END - 50, 'generation 3, 5 replicas desired, 6 before'),
        shrunk(OLD, END - 0.3, 'generation 4, 3 replicas desired, 5 before'),
        deleted,
      ],
      workload: [asked('scale', 'alice', END - 50, 'to 5 replicas'), asked('patch', 'argocd', END - 0.4)],
    }),
    { cause: 'ScaledDown', actor: undefined },
  ],
  'an autoscaler of a StatefulSet that was changed again since': [
    aCase(aLife({ pod: aPod('db-0', { workload: DB_WORKLOAD }), owner: DB }), {
      owner: [
        evidence(DB, 'revision', END - 50, { reason: '2', message: 'generation 2' }),
        evidence(DB, 'revision', END - 0.3, { reason: '3', message: 'generation 3' }),
        event(DB, 'statefulset-controller', 'SuccessfulDelete', END, 'delete Pod db-0 in StatefulSet db successful'),
        event(
          object('HorizontalPodAutoscaler', 'db'),
          'horizontal-pod-autoscaler',
          'SuccessfulRescale',
          END - 50,
          'New size: 1; reason: All metrics below target',
        ),
      ],
    }),
    { cause: 'ScaledDown', actor: undefined },
  ],
  'an autoscaler that had removed its pods half a minute before: this one may be too many for another reason': [
    aCase(aLife(rolled), {
      owner: [shrunk(OLD, END - 30, 'generation 3, 5 replicas desired, 6 before'), deleted],
      workload: [rescaled(END - 30, 'New size: 5; reason: All metrics below target')],
    }),
    { cause: 'ScaledDown', certainty: 'inferred' },
  ],
  'a HorizontalPodAutoscaler that scaled up did not scale down': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [
        event(
          object('HorizontalPodAutoscaler', 'cart'),
          'horizontal-pod-autoscaler',
          'SuccessfulRescale',
          970,
          'New size: 9; reason: cpu resource utilization (percentage of request) above target',
        ),
      ],
    }),
    { cause: 'ScaledDown', actor: undefined },
  ],
  'a person who scaled down is named by the audit log': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [evidence(CART, 'audited', 999, { reason: 'scale', by: 'alice' })],
    }),
    { cause: 'ScaledDown', actor: 'alice' },
  ],
  'a patch of its workload says nothing about replicas': [
    aCase(aLife(rolled), { owner: [deleted], workload: [asked('patch', 'argocd', 950), asked('update', 'bob', 990)] }),
    { cause: 'ScaledDown', actor: undefined, cites: 1 },
  ],
  'an autoscaler of another name is known by its audited request, whoever patched before': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [asked('patch', 'argocd', 950), asked('scale', HPA, 999, 'to 2 replicas; with x')],
    }),
    { cause: 'ScaledDown', actor: 'horizontal-pod-autoscaler', cites: 2 },
  ],
  'a person who scaled up before an autoscaler scaled down': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [asked('scale', 'alice', 960, 'to 10 replicas'), asked('scale', HPA, 999, 'to 2 replicas')],
    }),
    { cause: 'ScaledDown', actor: 'horizontal-pod-autoscaler' },
  ],
  'the last who scaled made it more: nobody knows who made it fewer': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [asked('scale', 'bob', 100, 'to 3 replicas'), asked('scale', 'alice', 960, 'to 10 replicas')],
    }),
    { cause: 'ScaledDown', actor: undefined, cites: 1 },
  ],
  'a request after which more pods came was an increase': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [asked('scale', 'alice', 960)],
      siblings: [sibling('cart-9', 961, ofOld)],
    }),
    { cause: 'ScaledDown', actor: undefined, cites: 1 },
  ],
  'a request after which its Deployment reported an increase': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [
        asked('scale', 'alice', 960, 'to 10 replicas'),
        scaling(961, 'Scaled up replica set cart-old from 3 to 10'),
      ],
    }),
    { cause: 'ScaledDown', actor: undefined, cites: 1 },
  ],
  'who asked for the same number again did not scale': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [asked('scale', 'alice', 990, 'to 2 replicas'), asked('scale', 'argocd', 999, 'to 2 replicas')],
    }),
    { cause: 'ScaledDown', actor: 'alice' },
  ],
  'a person who scaled down after an autoscaler had': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [rescaled(960, 'New size: 5; reason: All metrics below target'), asked('scale', 'alice', 999)],
    }),
    { cause: 'ScaledDown', actor: 'alice' },
  ],
  'a HorizontalPodAutoscaler with too few replicas did not scale down': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [rescaled(990, 'New size: 3; reason: Current number of replicas below Spec.MinReplicas')],
    }),
    { cause: 'ScaledDown', actor: undefined },
  ],
  'a HorizontalPodAutoscaler with too many replicas did': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [rescaled(990, 'New size: 2; reason: Current number of replicas above Spec.MaxReplicas')],
    }),
    { cause: 'ScaledDown', actor: 'HorizontalPodAutoscaler cart' },
  ],
  'another workload of the same name that was scaled': [
    aCase(aLife(rolled), {
      owner: [deleted],
      workload: [{ ...asked('scale', 'alice', 999), about: object('StatefulSet', 'cart') }],
    }),
    { cause: 'ScaledDown', actor: undefined },
  ],
  'a person who deletes it once more four seconds later did not begin it': [
    aCase(aLife(rolled), {
      owner: [shrunk(OLD, 999.7, 'generation 3, 2 replicas desired, 4 before'), deleted],
      pod: [evidence(POD, 'audited', END + 4, { reason: 'delete', by: 'bob' })],
    }),
    { cause: 'ScaledDown', certainty: 'certain', actor: undefined },
  ],
});
