//! What `-?` and `:help` say.

/// The flags.
pub const FLAGS: &str = "\
usage: thermocline sql [flags]

Server and login
  -S server       host, host,port, tcp:host,port, or . for this machine (SQLCMDSERVER)
  -U login        login (SQLCMDUSER); without one the connection is trusted, as with -E
  -P password     password (SQLCMDPASSWORD); asked for where there is none
  -d database     database (SQLCMDDBNAME)
  -l seconds      time for the login (8); 0 for any
  -N[s|m|o|d]     encryption: strict, mandatory, optional (the login alone), disabled
  -C              accept any certificate      -J file, -F name  the certificate, its name
  -a size -H name -K ReadOnly   packet size, workstation, intent

What to run (without any of these: lines from the terminal or the standard input)
  -Q query        run it and end              -q query   run it and go on
  -i file[,file]  scripts; - is the standard input
  -v name=value   scripting variables         -x         do not replace $(name)
  -c word         what ends batches (GO)      -t seconds time for a batch
  -b              end at the first error      -V level   errors from this severity on count
  -X[1]           no !!                       --allow-commands  !! may run programs

What to show
  -o file         results go there            -u   in UTF-16
  -h rows         rows between headings; -1 for none
  -s separator    between columns             -W   no trailing blanks
  -w width        width of lines              -y, -Y width  of large and of other texts
  -k[1|2]         control characters: left out, blanks, one blank
  -m level        messages from this severity on; -1 with all their numbers
  -r[0|1]         errors, or all messages, go to the standard error stream
  -e              show the script             -p[1]  times
  -f codepage     of scripts without a byte order mark
";

/// The commands.
pub const COMMANDS: &str = "\
GO [n]                     run the batch, n times
:r file                    run a file's lines
:setvar name [value]       set a scripting variable, or take it away
:on error exit|ignore      end at errors or go on
:out, :error file|stdout|stderr   where results and errors go
:connect server [-l seconds] [-U login [-P password]]
:list, :reset              show the batch, forget it
:listvar                   show the scripting variables
:quit, :exit, exit(query)  end; with a query's number
!! command                 run a program, where that is allowed
";
