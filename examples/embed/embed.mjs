// Embedding: the program is a text, its commands are JavaScript functions, and everything is in memory.
//   node examples/embed/embed.mjs
import { compile, run } from 'statedsl';

const text = `
INPUT: city
STATE: LOOK
  CHECK: weather = forecast {city}
  EMIT: FORECAST city={city} degrees={weather.degrees}
  IF: weather.degrees > 25 → RETURN: take a hat to {city}
  RETURN: take a coat to {city}
`;

const commands = {
  forecast: async ([city]) => ({ city, degrees: city === 'Lisbon' ? 31 : 9 }),
};

const { machine, diagnostics } = compile(text, { name: 'weather', commands: Object.keys(commands) });
for (const { code, message } of diagnostics) console.error(`${code}: ${message}`);
if (!machine) process.exit(2);

for (const city of ['Lisbon', 'Oslo']) {
  const report = await run(machine, {
    inputs: { city },
    commands,
    onEvent: (event) => event.type === 'emitted' && console.log(event.event, JSON.stringify(event.fields)),
  });
  console.log(`${report.status}: ${report.returned}`);
}
