// Runs the program from its source: npm run dev -- contacts list
import { main } from '../src/main.ts';

void main();
