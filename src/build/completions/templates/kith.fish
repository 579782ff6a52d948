# Completion of kith in fish: kith completion fish | source
# Generated from the command tree: npm run generate

# Reads the line up to the cursor. Prints one per line: the words of the command, the candidates at the cursor, the
# text before them in the same word, the program, the typed text, and the flags that select the workspace and a list.
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
    set -l context
    for word in $typed
        if test -n "$awaiting"
            set --append context "$awaiting=$word"
            set awaiting ''
        else if test $ended = yes; or not string match --quiet --regex '^-.' -- $word
            if string match --quiet --regex '^\w' -- $syntax
                set path (string trim -- "$path $word")
                set syntax (__kith_syntax $path)
            else
                # The first argument may be a list. A flag would follow it.
                test $place -gt 1; or set --prepend context --list=$word
                set place (math $place + 1)
            end
        else if test "$word" = --
            set ended yes
        else if string match --quiet -- '--*=*' $word
            set --append context $word
        else if set offer (__kith_value_of $word $syntax)
            set awaiting $word
        end
    end

    set -l word (commandline --current-token --cut-at-cursor)
    set -l before ''
    if test -n "$awaiting"
        # The cursor is at the value of a flag.
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
    # A quotation mark may still be open.
    set -l plain (string unescape -- $word; or string unescape -- $word'"'; or string unescape -- $word"'")
    set plain (string sub --start (math (string length -- "$before") + 1) -- "$plain")
    set context (string match --regex -- '^--(?:profile|base-url|list)=.+' $context)
    string join \n -- "$path" (string trim --right --chars + -- "$offer") "$before" "$program" "$plain" $context
end

# Prints the candidates for the value of flag $argv[1], from the lines of syntax after it. Fails if it takes no value.
function __kith_value_of
    set -l flag (string escape --style=regex -- $argv[1])
    string replace --filter --regex "^$flag=([^\t]*)\t.*" '$1' -- $argv[2..]
end

# Prints the candidates at the cursor with their descriptions.
function __kith_candidates
    set -l cursor (__kith_cursor)
    set -l values
    switch $cursor[2]
        case words
            string match --regex -- '^\w.*' (__kith_syntax $cursor[1])
            test -z "$cursor[1]"; and __kith_names aliases $cursor
            return
        case flags
            string replace --filter --regex -- '^(-[^=\t]*)[^\t]*' '$1' (__kith_syntax $cursor[1])
            return
        case @files @folders
            return
        case '@*'
            set values (__kith_names (string sub --start 2 -- $cursor[2]) $cursor)
        case '*'
            set values (string split --no-empty , -- $cursor[2])
    end
    string join \n -- $cursor[3]$values
end

# Prints the names of source $argv[1] for the cursor in the other arguments. The program reads them from files on this
# machine. A tab is before a description.
function __kith_names
    set -l cursor $argv[2..]
    type --query -- $cursor[4]; or return
    $cursor[4] complete $argv[1] --word="$cursor[5]" --command="$cursor[1]" $cursor[6..] </dev/null 2>/dev/null
end

# Succeeds if the candidates at the cursor are $argv[1].
function __kith_offers
    set -l cursor (__kith_cursor)
    test "$cursor[2]" = $argv[1]
end

# Prints what may follow the words in $argv[1], one per line: words, a : before each argument of a command, and flags.
# After that :, and after the = of a flag, come the candidates: words, an @ and the name of a source, or nothing. A +
# at the end marks an argument that can be repeated.
function __kith_syntax
@syntax@
end

complete --command kith --erase
complete --command kith --no-files --keep-order --arguments '(__kith_candidates)'
complete --command kith --condition '__kith_offers @files' --force-files
complete --command kith --condition '__kith_offers @folders' --arguments '(__fish_complete_directories)'
