#!/usr/bin/env node
/** Stand-in for a mail server: its result is the mail that it would send. */
import { readFileSync } from 'node:fs';

const { text, attachments } = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify({ subject: text, attached: attachments.length }));
