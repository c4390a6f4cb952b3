// `npm start`. Will show podtrail at work without a cluster; until then it says so, and what can be run today.
process.stdout.write(`podtrail keeps a history of where pods were: which pod held an IP at an instant, on which node a
pod or workload ran, and why it moved. When it does not know, it says so.

The demo is not built yet: it comes with the sandbox, an API server with simulated nodes that needs no
cluster. What can be run today:

  npx podtrail record                        watch the cluster of your kubeconfig and write its history
  npx podtrail who 10.1.2.3 --at '15m ago'   ask it, also while it is being written
  npm run cluster                            a real control plane with simulated nodes to try that on (needs Go)
  npm test                                   the tests that need only Node and npm
  npm run help                               everything else

docs/recording.md shows all of it at work.
`);
