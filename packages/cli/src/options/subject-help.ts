// What `trail` and `changes` may be asked about, for their help texts.

export const SUBJECT_HELP = `
What to ask about:
  web-1, pod/web-1        a pod by name, with all its lives (-n says in which namespace)
  deploy/cart             a workload: deployment, statefulset, daemonset, replicaset, job and their short names,
                          or any Kind/NAME as the owner reference has it; deployments.apps/cart is the same
  uid/UID, or a bare UUID one life of a pod`;
