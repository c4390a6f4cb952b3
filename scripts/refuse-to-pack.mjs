// What `npm pack` and `npm publish` run first in packages/*: there lie sources, which Node does not run under
// node_modules. What is published lies in dist/.
process.stderr.write(
  'This folder holds TypeScript sources, which Node does not run once they are installed. Run `npm run build`, then pack ' +
    'or publish its dist folder: npm pack ./packages/NAME/dist\n',
);
process.exitCode = 1;
