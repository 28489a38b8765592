#!/usr/bin/env node
/** Stand-in for a directory of users: prints the user, or reports an unknown name and ends with 3. */
import { readFileSync } from 'node:fs';

const { userId } = JSON.parse(readFileSync(0, 'utf8'));
const users = { ada: { name: 'Ada', history: 'First program. First bug. First patch.' } };

if (Object.hasOwn(users, userId)) console.log(JSON.stringify(users[userId]));
else {
  console.error(`nobody is called ${userId}`);
  process.exitCode = 3;
}
