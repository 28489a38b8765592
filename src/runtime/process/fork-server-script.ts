/**
 * The program of the fork server, in Perl. Of the small interpreters on Linux systems, only Perl starts a process with
 * exactly the given words and variables and reports exactly how it ended. It reads requests from descriptor 3 and ends
 * when that socket closes, so it never outlives its runner. No value is ever part of its text.
 *
 * A child that is made in advance reads its command from descriptor 4, prepares everything, and then reads whether it may
 * execute the program. It ends when that socket closes, so nothing is executed after the death of the runner.
 *
 * A request consists of its length in four bytes and of fields that each end with a zero byte:
 *
 *     v NAME VALUE …                                     the variables of all commands from here on
 *     p ID PATH …                                        make named pipes
 *     r ID STDOUT STDERR DIRECTORY COUNT NAME VALUE … PROGRAM WORD …     start a program, with COUNT more variables
 *     a ID                                               make a child in advance
 *
 * Such a child gets two messages of the same form: what follows ID in `r`, or nothing, which ends it; and then 1 if it may
 * execute the program, or 0, which ends it. Its status is 0 if it ends after it has read all of its messages.
 *
 * It answers in lines: `P ID ERRNO` (0: they are made); `S ID PID` from a child directly before it becomes the program,
 * and `F ID ERRNO` if that fails; `T ID TICKS`, the time when the child was made (-1: unknown); `X ID STATUS` when it
 * has ended, with the status as `wait` gives it.
 */
export const FORK_SERVER_SCRIPT = `
use strict;
$0 = 'statedsl-fork-server';
my ($setsid, $sigprocmask, $signalfd, $mknodat) = @ARGV;
my ($control, $messages, $ended);
open($control, '+<&=', 3) && fcntl($control, 2, 1) or exit 1;
open($messages, '<&=', 4) && fcntl($messages, 2, 1) or exit 1;
my $server = $$;
# An ended child makes a descriptor readable, so that one select waits for children and for requests.
my ($sigchld, $none) = (pack('Q', 1 << 16), pack('Q', 0));
syscall($sigprocmask, 2, $sigchld, 0, 8) == 0 or exit 1;
my $signals = syscall($signalfd, -1, $sigchld, 8, 02000000);
open($ended, '<&=', $signals) && fcntl($ended, 2, 1) or exit 1;
my $wanted = '';
vec($wanted, $_, 1) = 1 for 3, $signals;
my ($buffer, %children) = ('');

sub write_lines {
  my $lines = join "\\n", @_, '';
  syswrite($control, $lines) == length $lines or exit 1;
}

sub answer { write_lines("@_") }

sub make_pipes {
  my $id = shift;
  my ($before, $failed) = (umask 0, 0);
  for my $path (@_) {
    next if syscall($mknodat, -100, $path, 010600, 0) == 0;
    $failed = $! + 0;
    last;
  }
  umask $before;
  answer('P', $id, $failed);
}

sub started_at {
  open(my $file, '<', "/proc/$_[0]/stat") or return -1;
  sysread($file, my $stat, 4096) or return -1;
  return (split ' ', substr($stat, 2 + rindex $stat, ')'))[19];
}

sub fields_of {
  my @fields = split /\\0/, $_[0], -1;
  pop @fields;
  return @fields;
}

sub read_bytes {
  my ($length, $bytes) = (shift, '');
  while (length $bytes < $length) {
    sysread($messages, $bytes, $length - length $bytes, length $bytes) or exit 127;
  }
  return $bytes;
}

sub read_message { return fields_of(read_bytes(unpack 'L', read_bytes(4))) }

sub prepare {
  my ($stdout, $stderr, $directory, %variables) = @_;
  while (my ($name, $value) = each %variables) { $ENV{$name} = $value }
  # A pipe that nobody reads any more is not waited for: the runner is gone.
  return sysopen(STDOUT, $stdout, 04001) && fcntl(STDOUT, 4, 1) && sysopen(STDERR, $stderr, 04001)
    && fcntl(STDERR, 4, 1) && chdir $directory;
}

sub become {
  my ($id, $is_early, @command) = @_;
  syscall($setsid);
  syscall($sigprocmask, 2, $none, 0, 8);
  my $ticks = $is_early ? started_at($$) : -1;
  @command = read_message() or exit 0 if $is_early;
  my @place = splice @command, 0, 3;
  my $is_ready = prepare(@place, splice @command, 1, 2 * $command[0]);
  shift @command;
  my $failed = $! + 0;
  if ($is_early) {
    (read_message())[0] or exit 0;
    # Without its server, the end of the program would not be reported.
    getppid == $server or exit 127;
  }
  if ($is_ready) {
    # In one message: the runner wakes only once.
    write_lines($is_early ? "T $id $ticks" : (), "S $id $$");
    exec { $command[0] } @command;
    $failed = $! + 0;
  }
  answer('F', $id, $failed);
  exit($is_early ? 0 : 127);
}

sub start {
  my $id = $_[0];
  my $pid = fork;
  if (!defined $pid) {
    answer('F', $id, $! + 0);
    answer('X', $id, 256);
  } elsif ($pid == 0) {
    become(@_);
  } else {
    $children{$pid} = $id;
    # Looked up here and not by the child, which need not wait for it. A child that is made in advance has the time.
    answer('T', $id, started_at($pid)) unless $_[1];
  }
}

for (;;) {
  select(my $ready = $wanted, undef, undef, undef) > 0 or next;
  if (vec($ready, 3, 1)) {
    sysread($control, $buffer, 262144, length $buffer) or exit 0;
    while (length $buffer >= 4 && length $buffer >= 4 + unpack 'L', $buffer) {
      my @fields = fields_of(substr(substr($buffer, 0, 4 + unpack('L', $buffer), ''), 4));
      my $kind = shift @fields;
      if ($kind eq 'r') { start(shift @fields, 0, @fields) }
      elsif ($kind eq 'a') { start($fields[0], 1) }
      elsif ($kind eq 'v') { %ENV = @fields }
      else { make_pipes(@fields) }
    }
  }
  if (vec($ready, $signals, 1)) {
    sysread($ended, my $which, 4096);
    while ((my $pid = waitpid(-1, 1)) > 0) {
      my $status = $?;
      my $id = delete $children{$pid};
      answer('X', $id, $status) if defined $id;
    }
  }
}
`;
