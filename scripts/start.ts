// `npm start`. Will show podtrail at work; until there is something to show it says so, and what can be run today.
process.stdout.write(`podtrail keeps a history of where pods were: which pod held an IP at an instant, on which node a
pod or workload ran, and why it moved. When it does not know, it says so.

The demo is not built yet: it comes with the sandbox, an API server with simulated nodes that needs no
cluster. What can be run today:

  npm test                                   the tests that need only Node and npm
  npm run e2e                                the tests on a real Kubernetes control plane (built once, needs Go)
  npm run cluster                            that control plane with simulated nodes, for you, until Ctrl+C
  npm run help                               everything else
`);
