#!/usr/bin/env node
/** Stands for a mail server: what it would send is its result. */
import { readFileSync } from 'node:fs';

const { text, attachments } = JSON.parse(readFileSync(0, 'utf8'));
console.log(JSON.stringify({ subject: text, attached: attachments.length }));
