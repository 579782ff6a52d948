# Completion of kith in fish: kith completion fish | source
# Generated from the command tree: npm run generate

# Reads the line up to the cursor. Prints, a line each: the words that make the command, what is offered at the
# cursor, what stands before it in the word, the program, and the flags that tell which workspace is meant.
function __kith_cursor
    set -l typed (commandline --tokenize --current-process --cut-at-cursor)
    set -l program (string replace --regex '^~/' "$HOME/" -- $typed[1])
    set --erase typed[1]

    set -l path ''
    set -l syntax (__kith_syntax '')
    set -l place 1
    set -l awaiting ''
    set -l offer ''
    set -l ended no
    set -l workspace
    for word in $typed
        if test -n "$awaiting"
            set --append workspace "$awaiting=$word"
            set awaiting ''
        else if test $ended = yes; or not string match --quiet --regex '^-.' -- $word
            if string match --quiet --regex '^\w' -- $syntax
                set path (string trim -- "$path $word")
                set syntax (__kith_syntax $path)
            else
                set place (math $place + 1)
            end
        else if test "$word" = --
            set ended yes
        else if string match --quiet -- '--*=*' $word
            set --append workspace $word
        else if set offer (__kith_value_of $word $syntax)
            set awaiting $word
        end
    end

    set -l word (commandline --current-token --cut-at-cursor)
    set -l before ''
    if test -n "$awaiting"
        # Its value is at the cursor.
    else if test $ended = no; and string match --quiet -- '--*=*' $word
        set before (string replace --regex '=.*' = -- $word)
        set offer (__kith_value_of (string trim --right --chars = -- $before) $syntax)
    else if test $ended = no; and string match --quiet -- '-*' $word
        set offer flags
    else if string match --quiet --regex '^\w' -- $syntax
        set offer words
    else
        set -l places (string replace --filter --regex '^:' '' -- $syntax)
        set offer $places[$place]
        set -q offer[1]; or set offer (string match -- '*+' $places)
    end
    set workspace (string match --regex -- '^--(?:profile|base-url)=.+' $workspace)
    string join \n -- "$path" (string trim --right --chars + -- "$offer") "$before" "$program" $workspace
end

# What is offered as the value of the flag $argv[1], by the lines of syntax after it. Fails where it takes none.
function __kith_value_of
    set -l flag (string escape --style=regex -- $argv[1])
    string replace --filter --regex "^$flag=([^\t]*)\t.*" '$1' -- $argv[2..]
end

# Prints what is offered at the cursor, each with what it is.
function __kith_candidates
    set -l cursor (__kith_cursor)
    set -l values
    switch $cursor[2]
        case words
            string match --regex -- '^\w.*' (__kith_syntax $cursor[1])
            return
        case flags
            string replace --filter --regex -- '^(-[^=\t]*)[^\t]*' '$1' (__kith_syntax $cursor[1])
            return
        case @files @folders
            return
        case '@*'
            type --query -- $cursor[4]; or return
            # Values that change are in files of this machine, which the program reads.
            set values ($cursor[4] complete (string sub --start 2 -- $cursor[2]) $cursor[5..] </dev/null 2>/dev/null)
        case '*'
            set values (string split --no-empty , -- $cursor[2])
    end
    string join \n -- $cursor[3]$values
end

# Whether this is what is offered at the cursor.
function __kith_offers
    set -l cursor (__kith_cursor)
    test "$cursor[2]" = $argv[1]
end

# What may follow the words in $argv[1], a line each: words, a : before each argument of a command, and flags.
# After that :, and after the = of a flag that takes a value, stands what is offered: words, an @ and what they
# are, or nothing. A + ends an argument that can be repeated.
function __kith_syntax
@syntax@
end

complete --command kith --erase
complete --command kith --no-files --keep-order --arguments '(__kith_candidates)'
complete --command kith --condition '__kith_offers @files' --force-files
complete --command kith --condition '__kith_offers @folders' --arguments '(__fish_complete_directories)'
