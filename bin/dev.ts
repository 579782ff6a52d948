// Runs the program from its source: npm run dev -- contacts list
import { start } from '../src/bootstrap.ts';

void start();
