// `npm start`: the demo, the same as `npx podtrail demo`. Flags go behind two dashes: npm start -- --seed 7.
process.argv.splice(2, 0, 'demo');
await import('../packages/cli/src/main.ts');
