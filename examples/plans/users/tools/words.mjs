/** Tools that are functions of their parameters. */
export const greetUser = ({ userName }) => `Welcome back, ${userName}`;

export const apologise = ({ reason }) => `We could not help you: ${reason}`;

export const generateSummary = ({ text }) => text.split('. ')[0];
