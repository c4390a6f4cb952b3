#!/usr/bin/env node
// The podtrail program, also as `kubectl podtrail` (the same file under the name kubectl-podtrail).
import { runPodtrail } from './run.ts';
import { systemSurroundings } from './system-surroundings.ts';

const { surroundings, ended } = systemSurroundings();
process.exitCode = await runPodtrail(process.argv.slice(2), surroundings);
ended();
