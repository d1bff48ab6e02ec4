/** What the watcher does, for any POSIX shell: it keeps a list of process groups, and ends those still on it when its input ends. */

/** How long groups have between being asked to end and being made to. */
const FAREWELL_SECONDS = 2

/**
 * Lines of its input: `+PID` a group to be ended, `-PID` one that has ended. Who stops the gateway with a signal to all must not stop this one, which
 * is needed until the gateway has ended; whoever ends in time is taken off the list, since somebody else may get the number. A `sleep` that knows no
 * fractions, or none at all, makes this coarser, not weaker.
 */
export const WATCHER_SCRIPT = `
trap '' HUP INT QUIT TERM
listed=' '
while read -r line; do
  pid=\${line#[-+]}
  case $pid in '' | 0 | 1 | *[!0-9]*) continue ;; esac
  case $line in
    +*) case $listed in *" $pid "*) ;; *) listed="$listed$pid " ;; esac ;;
    -*) case $listed in *" $pid "*) listed="\${listed%% $pid *} \${listed#* $pid }" ;; esac ;;
  esac
done
still_there() {
  left=' '
  for pid in $listed; do kill -s 0 -- "-$pid" && left="$left$pid "; done
  listed=$left
  test "$listed" != ' '
}
still_there || exit 0
for pid in $listed; do kill -s TERM -- "-$pid"; done
if sleep 0.1; then pause=0.1 rounds=${FAREWELL_SECONDS * 10}; else pause=1 rounds=${FAREWELL_SECONDS}; fi
while still_there && test "$rounds" -gt 0; do
  sleep "$pause"
  rounds=$((rounds - 1))
done
for pid in $listed; do kill -s KILL -- "-$pid"; done
`
