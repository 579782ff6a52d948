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
    set -l writing -n\t'Preview the requests without sending them' --dry-run\t'Preview the requests without sending them'
    set -l deletions -y\t'Skip the confirmation prompt' --yes\t'Skip the confirmation prompt'
    set -l limit --limit=\t'Maximum number of records (default 25)'
    set -l paging --all\t'Print all records' --after=\t'Continue a list: pagination.next of the same command with --json-envelope'
    set -l pages --page-size=\t'Records per request (default 100)'
    set -l output --json\t'Short for --format json' --json-envelope\t'Print JSON as {data, pagination, warnings}' --jq=\t'Filter the JSON output with a jq expression' -o=@files\t'Write the output to a file, whose extension sets the format: people.csv, people.xlsx' --output=@files\t'Write the output to a file, whose extension sets the format: people.csv, people.xlsx' -q\t'Suppress informational messages' --quiet\t'Suppress informational messages' --no-color\t'Disable colors' --no-input\t'Never prompt'
    set -l records --fields=@columns\t'Print only these fields, comma-separated: headers or paths such as emails.0' --ids-only\t'Print only the ids, one per line' --wide\t'Show all columns of a table at full width; the pager scrolls sideways' --no-header\t'Omit the header row' --bom\t'Start CSV with a byte order mark, for Excel'
    set -l everywhere --profile=@profiles\t'Use this profile' -v\t'Print requests, headers, sizes, times and retries on stderr' --debug\t'Print requests, headers, sizes, times and retries on stderr'
    set -l guards --readonly\t'Refuse all writes to the workspace' --allow=@permissions\t'Allow only these writes, such as contacts,notes:create; none refuses all writes' --max-writes=\t'Stop after this many writes, with exit code 9' --max-requests=\t'Stop after this many requests, with exit code 9'
    set -l http --base-url=\t'Base URL of the service' --timeout=\t'Timeout of a request, in seconds (default 30)' --retries=\t'Retries per request (default 4)' --max-wait=\t'Maximum time to wait for retries, in seconds (default 60)' --offline\t'Read the offline copy of `kith workspace pull` instead of the service; writes are refused'
    switch $argv[1]
        case ''
            string join \n -- \
                contacts\t'Find, create, update, delete and import contacts' \
                organizations\t'Find, create, update, delete and import organizations' \
                notes\t'Manage notes about organizations' \
                custom-fields\t'Manage custom fields of contacts, organizations and deals' \
                lists\t'Manage lists and processes, and report on a process' \
                deals\t'Find, add, move and import the deals of a process: its entries' \
                report\t'Report the deals and values of a process by status or another field' \
                entries\t'Manage the entries of a list or process' \
                meetings\t'List, show, search and export recorded meetings' \
                recordings\t'Print summaries and transcripts of recordings' \
                actions\t'List the action items of all meetings, and mark them as done' \
                today\t'Show the meetings, due deals and open action items of a day' \
                brief\t'Show what to know before a call: people, deals, promises and changes' \
                followup\t'Show whom to contact next, with the reasons' \
                search\t'Search contacts, organizations, entries, notes and meetings' \
                undo\t'Revert the last command that changed the workspace' \
                redo\t'Revert the last undo' \
                batch\t'Run the commands in a file, one per line' \
                api\t'Send any request to the API' \
                auth\t'Sign in to workspaces and switch between profiles' \
                serve\t'Serve a local workspace over HTTP' \
                migrate\t'Update the schema of a workspace' \
                keys\t'Manage the API keys of a local workspace' \
                workspace\t'Show, back up, copy and compare workspaces, and import calendars and recordings' \
                schedule\t'Schedule commands with cron, systemd or launchd' \
                index\t'Update, inspect and remove the local search index' \
                config\t'Manage flag defaults and other settings' \
                alias\t'Define short names for commands with their flags' \
                doctor\t'Check the installation, settings, key and service' \
                version\t'Print the version, its build, and the version of Node.js' \
                mcp\t'Serve the workspace to AI agents as MCP tools' \
                agents\t'Install a skill file that teaches agents to use kith' \
                commands\t'List all commands with their arguments and flags, as JSON for programs' \
                schema\t'Print the JSON Schema of a record, or of another JSON document' \
                completion\t'Generate completion scripts for bash, zsh, fish and PowerShell' \
                people\t'people: same as contacts' \
                companies\t'companies: same as organizations' \
                find\t'find: same as search' \
                help\t'Help for a command or a topic' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                -V\t'Print the version' \
                --version\t'Print the version' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'contacts' 'people' 'person' 'contact'
            string join \n -- \
                list\t'List contacts' \
                get\t'Get one contact' \
                show\t'Show a contact with its organization, entries, notes and meetings' \
                find\t'Find a contact by email or phone number' \
                create\t'Create a contact' \
                upsert\t'Update the contact with an email, phone number or name, or create one' \
                update\t'Update a contact; adds emails to the existing ones' \
                edit\t'Edit a contact as YAML in an editor' \
                remove-emails\t'Remove email addresses from a contact' \
                delete\t'Delete contacts and their entries' \
                import\t'Import contacts from a spreadsheet; safe to run repeatedly' \
                duplicates\t'List contacts that are likely duplicates' \
                merge\t'Merge a contact into another' \
                view\t'view: same as show' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete' \
                new\t'new: same as create' \
                add\t'add: same as create' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'contacts list' 'contacts ls' 'people list' 'people ls' 'person list' 'person ls' 'contact list' 'contact ls'
            string join \n -- \
                --organization=@organizations\t'Only records of this organization' \
                --list=@lists\t'Only records in this list or process' \
                --created-after=\t'Only records created after this time' \
                --updated-after=\t'Only records updated after this time' \
                --where=@sort\t'Only records that match an expression, such as "created_at > 7d"; see kith help scripting' \
                --sort=@sort\t'Sort by a field; -FIELD sorts in descending order. Reads the whole list first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --count\t'Print the number of records' \
                --sum=@sort\t'Print the sum of a field of type number or money' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'contacts get' 'people get' 'person get' 'contact get'
            string join \n -- \
                ':@contacts' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'contacts show' 'contacts view' 'people show' 'people view' 'person show' 'person view' 'contact show' 'contact view'
            string join \n -- \
                ':@contacts' \
                --since=\t'Only notes and meetings since this time' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $pages \
                $output \
                $everywhere \
                $guards \
                $http
        case 'contacts find' 'people find' 'person find' 'contact find'
            string join \n -- \
                --email=\t'Exact email address' \
                --phone=\t'Phone number, in any common format' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'contacts create' 'contacts new' 'contacts add' 'people create' 'people new' 'people add' 'person create' 'person new' 'person add' 'contact create' 'contact new' 'contact add'
            string join \n -- \
                ':' \
                --name=\t'Full name, which kith splits into first and last name' \
                --first-name=\t'First name' \
                --last-name=\t'Last name' \
                --email=\t'Email address' \
                --phone=\t'Phone number, in any common format' \
                --organization=@organizations\t'Organization; auto matches the domain of the first email address' \
                --create-organization\t'Create the organization if none matches --organization' \
                --if-absent=email,phone,name\t'If a record has the same value, print it instead of creating one: email, phone, name' \
                -f=@fields\t'Set a field; NAME= clears it' \
                --field=@fields\t'Set a field; NAME= clears it' \
                --data=\t'Request body as JSON; other flags override it' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'contacts upsert' 'people upsert' 'person upsert' 'contact upsert'
            string join \n -- \
                --name=\t'Full name, which kith splits into first and last name' \
                --first-name=\t'First name' \
                --last-name=\t'Last name' \
                --email=\t'Email address' \
                --phone=\t'Phone number, in any common format' \
                --organization=@organizations\t'Organization; auto matches the domain of the first email address' \
                --create-organization\t'Create the organization if none matches --organization' \
                --by=email,phone,name\t'Field that finds the record to update (default: the first that is set): email, phone, name' \
                -f=@fields\t'Set a field; NAME= clears it' \
                --field=@fields\t'Set a field; NAME= clears it' \
                --data=\t'Request body as JSON; other flags override it' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'contacts update' 'people update' 'person update' 'contact update'
            string join \n -- \
                ':@contacts' \
                --name=\t'Full name, which kith splits into first and last name' \
                --first-name=\t'First name; \'\' clears it' \
                --last-name=\t'Last name; \'\' clears it' \
                --email=\t'Email address' \
                --phone=\t'Phone number, in any common format' \
                --organization=@organizations\t'Organization; \'\' clears it' \
                -f=@fields\t'Set a field, replacing all its values; NAME= clears it' \
                --field=@fields\t'Set a field, replacing all its values; NAME= clears it' \
                --add-field=@fields\t'Add one value to a field with several values' \
                --remove-field=@fields\t'Remove one value from a field with several values' \
                --data=\t'Request body as JSON; other flags override it' \
                --where=@sort\t'Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'contacts edit' 'people edit' 'person edit' 'contact edit'
            string join \n -- \
                ':@contacts' \
                --file=@files\t'Apply a YAML file, or - for stdin, instead of opening an editor' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'contacts remove-emails' 'people remove-emails' 'person remove-emails' 'contact remove-emails'
            string join \n -- \
                ':@contacts' \
                ':+' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'contacts delete' 'contacts rm' 'people delete' 'people rm' 'person delete' 'person rm' 'contact delete' 'contact rm'
            string join \n -- \
                ':@contacts+' \
                --where=@sort\t'Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'contacts import' 'people import' 'person import' 'contact import'
            string join \n -- \
                ':@files' \
                --map=\t'Map a column to a field' \
                --ignore=\t'Ignore this column' \
                --header-row=\t'Row of the column headers (default: found within the first 20 rows)' \
                --sheet=\t'Sheet of an .xlsx file (default: the first)' \
                --encoding=\t'Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr' \
                --tz=\t'Time zone of dates with a time in an .xlsx file (default: this machine\'s)' \
                --strict\t'Import nothing if any row is invalid' \
                --strict-columns\t'Import nothing if any column has no field' \
                --report=@files\t'Write the per-row report to FILE' \
                --undo\t'Undo the import whose report is FILE' \
                --concurrency=\t'Maximum number of rows imported at once (default 4; 1 for a workspace file); 1 creates records in row order' \
                --organization=\t'Column that names the organization; auto: the service chooses by the domain of the first email' \
                --allow-unmatched\t'Import rows that have no email or phone (re-importing creates duplicates)' \
                --create-fields\t'Create custom fields for unmatched columns, with the type in the header (Level:select:Gold,Silver) or the type of the values' \
                --list=@lists\t'Also add each record to this list or process' \
                --status=@statuses\t'Status of new entries in a process' \
                --list-field=@list-fields\t'Map a column to a field of the list' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $everywhere \
                $guards \
                $http
        case 'contacts duplicates' 'people duplicates' 'person duplicates' 'contact duplicates'
            string join \n -- \
                --min-score=\t'Minimum score of a pair, from 0 to 100' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'contacts merge' 'people merge' 'person merge' 'contact merge'
            string join \n -- \
                ':@contacts' \
                ':@contacts' \
                --take=\t'Use OTHER\'s value of this field: first_name, last_name, organization_id or a custom field' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'organizations' 'orgs' 'companies' 'company' 'organization' 'org'
            string join \n -- \
                list\t'List organizations' \
                get\t'Get one organization' \
                show\t'Show an organization with its people, entries, notes and meetings' \
                find\t'Find an organization by domain or name' \
                create\t'Create an organization' \
                upsert\t'Update the organization with a domain or name, or create one' \
                update\t'Update an organization; adds domains to the existing ones' \
                edit\t'Edit an organization as YAML in an editor' \
                remove-domains\t'Remove domains from an organization' \
                delete\t'Delete organizations, their notes and their entries' \
                import\t'Import organizations from a spreadsheet; safe to run repeatedly' \
                duplicates\t'List organizations that are likely duplicates' \
                merge\t'Merge an organization into another' \
                view\t'view: same as show' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete' \
                new\t'new: same as create' \
                add\t'add: same as create' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'organizations list' 'organizations ls' 'orgs list' 'orgs ls' 'companies list' 'companies ls' 'company list' 'company ls' 'organization list' 'organization ls' 'org list' 'org ls'
            string join \n -- \
                --list=@lists\t'Only records in this list or process' \
                --created-after=\t'Only records created after this time' \
                --updated-after=\t'Only records updated after this time' \
                --where=@sort\t'Only records that match an expression, such as "created_at > 7d"; see kith help scripting' \
                --sort=@sort\t'Sort by a field; -FIELD sorts in descending order. Reads the whole list first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --count\t'Print the number of records' \
                --sum=@sort\t'Print the sum of a field of type number or money' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'organizations get' 'orgs get' 'companies get' 'company get' 'organization get' 'org get'
            string join \n -- \
                ':@organizations' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'organizations show' 'organizations view' 'orgs show' 'orgs view' 'companies show' 'companies view' 'company show' 'company view' 'organization show' 'organization view' 'org show' 'org view'
            string join \n -- \
                ':@organizations' \
                --since=\t'Only notes and meetings since this time' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $pages \
                $output \
                $everywhere \
                $guards \
                $http
        case 'organizations find' 'orgs find' 'companies find' 'company find' 'organization find' 'org find'
            string join \n -- \
                --domain=\t'Domain name or URL' \
                --name=\t'Full name; case and spacing do not matter' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'organizations create' 'organizations new' 'organizations add' 'orgs create' 'orgs new' 'orgs add' 'companies create' 'companies new' 'companies add' 'company create' 'company new' 'company add' 'organization create' 'organization new' 'organization add' 'org create' 'org new' 'org add'
            string join \n -- \
                ':' \
                --name=\t'Name' \
                --domain=\t'Domain name or URL' \
                --if-absent=domain,name\t'If a record has the same value, print it instead of creating one: domain, name' \
                -f=@fields\t'Set a field; NAME= clears it' \
                --field=@fields\t'Set a field; NAME= clears it' \
                --data=\t'Request body as JSON; other flags override it' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'organizations upsert' 'orgs upsert' 'companies upsert' 'company upsert' 'organization upsert' 'org upsert'
            string join \n -- \
                --name=\t'Name' \
                --domain=\t'Domain name or URL' \
                --by=domain,name\t'Field that finds the record to update (default: the first that is set): domain, name' \
                -f=@fields\t'Set a field; NAME= clears it' \
                --field=@fields\t'Set a field; NAME= clears it' \
                --data=\t'Request body as JSON; other flags override it' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'organizations update' 'orgs update' 'companies update' 'company update' 'organization update' 'org update'
            string join \n -- \
                ':@organizations' \
                --name=\t'Name' \
                --domain=\t'Domain name or URL' \
                -f=@fields\t'Set a field, replacing all its values; NAME= clears it' \
                --field=@fields\t'Set a field, replacing all its values; NAME= clears it' \
                --add-field=@fields\t'Add one value to a field with several values' \
                --remove-field=@fields\t'Remove one value from a field with several values' \
                --data=\t'Request body as JSON; other flags override it' \
                --where=@sort\t'Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'organizations edit' 'orgs edit' 'companies edit' 'company edit' 'organization edit' 'org edit'
            string join \n -- \
                ':@organizations' \
                --file=@files\t'Apply a YAML file, or - for stdin, instead of opening an editor' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'organizations remove-domains' 'orgs remove-domains' 'companies remove-domains' 'company remove-domains' 'organization remove-domains' 'org remove-domains'
            string join \n -- \
                ':@organizations' \
                ':+' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'organizations delete' 'organizations rm' 'orgs delete' 'orgs rm' 'companies delete' 'companies rm' 'company delete' 'company rm' 'organization delete' 'organization rm' 'org delete' 'org rm'
            string join \n -- \
                ':@organizations+' \
                --where=@sort\t'Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'organizations import' 'orgs import' 'companies import' 'company import' 'organization import' 'org import'
            string join \n -- \
                ':@files' \
                --map=\t'Map a column to a field' \
                --ignore=\t'Ignore this column' \
                --header-row=\t'Row of the column headers (default: found within the first 20 rows)' \
                --sheet=\t'Sheet of an .xlsx file (default: the first)' \
                --encoding=\t'Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr' \
                --tz=\t'Time zone of dates with a time in an .xlsx file (default: this machine\'s)' \
                --strict\t'Import nothing if any row is invalid' \
                --strict-columns\t'Import nothing if any column has no field' \
                --report=@files\t'Write the per-row report to FILE' \
                --undo\t'Undo the import whose report is FILE' \
                --concurrency=\t'Maximum number of rows imported at once (default 4; 1 for a workspace file); 1 creates records in row order' \
                --create-fields\t'Create custom fields for unmatched columns, with the type in the header (Level:select:Gold,Silver) or the type of the values' \
                --list=@lists\t'Also add each record to this list or process' \
                --status=@statuses\t'Status of new entries in a process' \
                --list-field=@list-fields\t'Map a column to a field of the list' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $everywhere \
                $guards \
                $http
        case 'organizations duplicates' 'orgs duplicates' 'companies duplicates' 'company duplicates' 'organization duplicates' 'org duplicates'
            string join \n -- \
                --min-score=\t'Minimum score of a pair, from 0 to 100' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'organizations merge' 'orgs merge' 'companies merge' 'company merge' 'organization merge' 'org merge'
            string join \n -- \
                ':@organizations' \
                ':@organizations' \
                --take=\t'Use OTHER\'s value of this field: name or a custom field' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'notes' 'note'
            string join \n -- \
                list\t'List notes' \
                get\t'Get one note' \
                create\t'Create a note about an organization' \
                update\t'Update the body or the deal of a note' \
                edit\t'Edit a note as YAML in an editor' \
                import\t'Import notes from a spreadsheet; safe to run repeatedly' \
                delete\t'Delete notes' \
                view\t'view: same as get' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete' \
                new\t'new: same as create' \
                add\t'add: same as create' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'notes list' 'notes ls' 'note list' 'note ls'
            string join \n -- \
                --organization=@organizations\t'Only records of this organization' \
                --contact=@contacts\t'Only notes about the organization of this contact' \
                --deal=@keys\t'Only notes of this deal, such as DEAL-1' \
                --created-after=\t'Only records created after this time' \
                --updated-after=\t'Only records updated after this time' \
                --today\t'Only records created today' \
                --where=@sort\t'Only records that match an expression, such as "created_at > 7d"; see kith help scripting' \
                --sort=@sort\t'Sort by a field; -FIELD sorts in descending order. Reads the whole list first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --count\t'Print the number of records' \
                --sum=@sort\t'Print the sum of a field of type number or money' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'notes get' 'notes view' 'note get' 'note view'
            string join \n -- \
                ':@notes' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'notes create' 'notes new' 'notes add' 'note create' 'note new' 'note add'
            string join \n -- \
                ':@organizations' \
                ':' \
                --organization=@organizations\t'Organization of the note' \
                --body=\t'Text of the note' \
                -F=@files\t'Read the text from a file, or - for stdin' \
                --body-file=@files\t'Read the text from a file, or - for stdin' \
                --deal=@keys\t'Deal of the note, such as DEAL-1' \
                --data=\t'Request body as JSON; other flags override it' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'notes update' 'note update'
            string join \n -- \
                ':@notes' \
                --body=\t'Text of the note' \
                -F=@files\t'Read the text from a file, or - for stdin' \
                --body-file=@files\t'Read the text from a file, or - for stdin' \
                --deal=@keys\t'Deal of the note, such as DEAL-1; \'\' clears it' \
                --data=\t'Request body as JSON; other flags override it' \
                --where=@sort\t'Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'notes edit' 'note edit'
            string join \n -- \
                ':@notes' \
                --file=@files\t'Apply a YAML file, or - for stdin, instead of opening an editor' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'notes import' 'note import'
            string join \n -- \
                ':@files' \
                --map=\t'Map a column to a field' \
                --ignore=\t'Ignore this column' \
                --header-row=\t'Row of the column headers (default: found within the first 20 rows)' \
                --sheet=\t'Sheet of an .xlsx file (default: the first)' \
                --encoding=\t'Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr' \
                --tz=\t'Time zone of dates with a time in an .xlsx file (default: this machine\'s)' \
                --strict\t'Import nothing if any row is invalid' \
                --strict-columns\t'Import nothing if any column has no field' \
                --report=@files\t'Write the per-row report to FILE' \
                --undo\t'Undo the import whose report is FILE' \
                --concurrency=\t'Maximum number of rows imported at once (default 4; 1 for a workspace file); 1 creates records in row order' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $everywhere \
                $guards \
                $http
        case 'notes delete' 'notes rm' 'note delete' 'note rm'
            string join \n -- \
                ':@notes+' \
                --where=@sort\t'Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'custom-fields' 'fields' 'custom-field' 'field'
            string join \n -- \
                list\t'List custom fields' \
                get\t'Get one custom field' \
                create\t'Create a custom field' \
                update\t'Update the name or the options of a custom field' \
                edit\t'Edit a custom field as YAML in an editor' \
                delete\t'Delete custom fields and their values' \
                view\t'view: same as get' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete' \
                new\t'new: same as create' \
                add\t'add: same as create' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'custom-fields list' 'custom-fields ls' 'fields list' 'fields ls' 'custom-field list' 'custom-field ls' 'field list' 'field ls'
            string join \n -- \
                --where=@sort\t'Only records that match an expression, such as "created_at > 7d"; see kith help scripting' \
                --sort=@sort\t'Sort by a field; -FIELD sorts in descending order. Reads the whole list first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --count\t'Print the number of records' \
                --sum=@sort\t'Print the sum of a field of type number or money' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'custom-fields get' 'custom-fields view' 'fields get' 'fields view' 'custom-field get' 'custom-field view' 'field get' 'field view'
            string join \n -- \
                ':' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'custom-fields create' 'custom-fields new' 'custom-fields add' 'fields create' 'fields new' 'fields add' 'custom-field create' 'custom-field new' 'custom-field add' 'field create' 'field new' 'field add'
            string join \n -- \
                ':' \
                --model=organization,contact,deal\t'Record type that gets the field: organization, contact, deal' \
                --type=text,textarea,url,number,date,datetime,select,user,contact\t'Data type (default text): text, textarea, url, number, date, datetime, select, user, contact' \
                --option=\t'Allowed value of a select field' \
                --multiple\t'Allow several values per record' \
                --if-absent=name\t'If a record has the same value, print it instead of creating one: name' \
                --data=\t'Request body as JSON; other flags override it' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'custom-fields update' 'fields update' 'custom-field update' 'field update'
            string join \n -- \
                ':' \
                --name=\t'New name' \
                --option=\t'Allowed value of a select field' \
                --data=\t'Request body as JSON; other flags override it' \
                --where=@sort\t'Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'custom-fields edit' 'fields edit' 'custom-field edit' 'field edit'
            string join \n -- \
                ':' \
                --file=@files\t'Apply a YAML file, or - for stdin, instead of opening an editor' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'custom-fields delete' 'custom-fields rm' 'fields delete' 'fields rm' 'custom-field delete' 'custom-field rm' 'field delete' 'field rm'
            string join \n -- \
                ':+' \
                --where=@sort\t'Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'lists' 'list'
            string join \n -- \
                list\t'List lists and processes' \
                get\t'Get one list or process' \
                report\t'Report the entries and values of a process by status or another field' \
                create\t'Create a list or a process' \
                update\t'Update a list or process' \
                edit\t'Edit a list as YAML in an editor' \
                delete\t'Delete lists or processes and their entries' \
                view\t'view: same as get' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete' \
                new\t'new: same as create' \
                add\t'add: same as create' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'lists list' 'lists ls' 'list list' 'list ls'
            string join \n -- \
                --where=@sort\t'Only records that match an expression, such as "created_at > 7d"; see kith help scripting' \
                --sort=@sort\t'Sort by a field; -FIELD sorts in descending order. Reads the whole list first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --count\t'Print the number of records' \
                --sum=@sort\t'Print the sum of a field of type number or money' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'lists get' 'lists view' 'list get' 'list view'
            string join \n -- \
                ':@lists' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'lists report' 'list report'
            string join \n -- \
                ':@lists' \
                --by=@sort\t'Group by assignee, organization, month or a field (default status)' \
                --organization=@organizations\t'Only records of this organization' \
                --contact=@contacts\t'Only records of this contact' \
                --status=@status-list\t'Only entries with one of these statuses, comma-separated' \
                --open\t'Only entries with a status of type active' \
                --closed\t'Only entries with a status of type won or lost' \
                --won\t'Only entries with a status of type won' \
                --lost\t'Only entries with a status of type lost' \
                --closed-after=\t'Only entries that were closed at or after this time' \
                --closed-before=\t'Only entries that were closed before this time' \
                --overdue\t'Only open entries with a date before today, or a time before now, in a field of the process' \
                --due-before=\t'Only open entries with a date or time before this time in a field of the process' \
                --assignee=\t'Only entries with this assignee: mina for mina@x.example; me is the address set with `kith config set user`' \
                --mine\t'Short for --assignee me' \
                --stale=\t'Only entries that have not been updated for this many days' \
                --created-after=\t'Only records created after this time' \
                --updated-after=\t'Only records updated after this time' \
                --where=@sort\t'Only records that match an expression, such as "created_at > 7d"; see kith help scripting' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --compare=@files\t'List the entries that were won, lost, moved, added or removed since the archive was made' \
                --html=@files\t'Write the report as an HTML page to FILE, or - for stdout' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'lists create' 'lists new' 'lists add' 'list create' 'list new' 'list add'
            string join \n -- \
                ':' \
                --entry-type=Contact,Organization\t'Record type of its entries: Contact, Organization' \
                --process\t'Create a process' \
                --field=\t'A field; TYPE is text, textarea, url, number, date, datetime, select, user, contact' \
                --identifier=\t'Prefix of entry keys' \
                --duplicates-allowed\t'Allow several entries per record' \
                --no-duplicates\t'Allow one entry per record' \
                --status=\t'A status; TYPE is active, won, lost' \
                --entry-label=\t'Label of an entry' \
                --status-label=\t'Label of the status' \
                --if-absent=name\t'If a record has the same value, print it instead of creating one: name' \
                --data=\t'Request body as JSON; other flags override it' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'lists update' 'list update'
            string join \n -- \
                ':@lists' \
                --name=\t'New name' \
                --field=\t'A field; TYPE is text, textarea, url, number, date, datetime, select, user, contact' \
                --identifier=\t'Prefix of entry keys' \
                --duplicates-allowed\t'Allow several entries per record' \
                --no-duplicates\t'Allow one entry per record' \
                --status=\t'A status; TYPE is active, won, lost' \
                --entry-label=\t'Label of an entry' \
                --status-label=\t'Label of the status' \
                --data=\t'Request body as JSON; other flags override it' \
                --where=@sort\t'Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'lists edit' 'list edit'
            string join \n -- \
                ':@lists' \
                --file=@files\t'Apply a YAML file, or - for stdin, instead of opening an editor' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'lists delete' 'lists rm' 'list delete' 'list rm'
            string join \n -- \
                ':@lists+' \
                --where=@sort\t'Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'deals' 'deal'
            string join \n -- \
                list\t'List the entries of a list or process' \
                get\t'Get one entry' \
                show\t'Show an entry with its organization, people, notes and meetings' \
                add\t'Add a contact or an organization to a list or process' \
                update\t'Update an entry' \
                edit\t'Edit an entry as YAML in an editor' \
                delete\t'Delete entries; their contacts and organizations are kept' \
                import\t'Import entries of a list or process from a spreadsheet; safe to run repeatedly' \
                move\t'Change the status of a deal' \
                report\t'Report the entries and values of a process by status or another field' \
                view\t'view: same as show' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete' \
                new\t'new: same as add' \
                create\t'create: same as add' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'deals list' 'deals ls' 'deal list' 'deal ls'
            string join \n -- \
                --process=@lists\t'Process: id or name (default: that of `kith config set process`, or the only one)' \
                --organization=@organizations\t'Only records of this organization' \
                --contact=@contacts\t'Only records of this contact' \
                --status=@status-list\t'Only entries with one of these statuses, comma-separated' \
                --open\t'Only entries with a status of type active' \
                --closed\t'Only entries with a status of type won or lost' \
                --won\t'Only entries with a status of type won' \
                --lost\t'Only entries with a status of type lost' \
                --closed-after=\t'Only entries that were closed at or after this time' \
                --closed-before=\t'Only entries that were closed before this time' \
                --overdue\t'Only open entries with a date before today, or a time before now, in a field of the process' \
                --due-before=\t'Only open entries with a date or time before this time in a field of the process' \
                --assignee=\t'Only entries with this assignee: mina for mina@x.example; me is the address set with `kith config set user`' \
                --mine\t'Short for --assignee me' \
                --stale=\t'Only entries that have not been updated for this many days' \
                --created-after=\t'Only records created after this time' \
                --updated-after=\t'Only records updated after this time' \
                --where=@sort\t'Only records that match an expression, such as "created_at > 7d"; see kith help scripting' \
                --sort=@sort\t'Sort by a field; -FIELD sorts in descending order. Reads the whole list first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --count\t'Print the number of records' \
                --sum=@sort\t'Print the sum of a field of type number or money' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'deals get' 'deal get'
            string join \n -- \
                ':@keys' \
                --process=@lists\t'Process: id or name (default: that of `kith config set process`, or the only one)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'deals show' 'deals view' 'deal show' 'deal view'
            string join \n -- \
                ':@keys' \
                --process=@lists\t'Process: id or name (default: that of `kith config set process`, or the only one)' \
                --since=\t'Only notes and meetings since this time' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $pages \
                $output \
                $everywhere \
                $guards \
                $http
        case 'deals add' 'deals new' 'deals create' 'deal add' 'deal new' 'deal create'
            string join \n -- \
                --process=@lists\t'Process: id or name (default: that of `kith config set process`, or the only one)' \
                --contact=@contacts\t'Contact to add' \
                --organization=@organizations\t'Organization to add' \
                --status=@statuses\t'Status of the process' \
                --assignee=\t'Assignee\'s email address, its part before the @, or me' \
                --contact-id=@contacts\t'Contact associated with the organization' \
                --one-time-value=\t'One-time value' \
                --recurring-value=\t'Recurring value' \
                --recurring-period=monthly,annual,one_time\t'Period of the recurring value: monthly, annual, one_time' \
                -f=@fields\t'Set a field; NAME= clears it' \
                --field=@fields\t'Set a field; NAME= clears it' \
                --data=\t'Request body as JSON; other flags override it' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'deals update' 'deal update'
            string join \n -- \
                ':@keys' \
                --process=@lists\t'Process: id or name (default: that of `kith config set process`, or the only one)' \
                --status=@statuses\t'Status of the process' \
                --assignee=\t'Assignee\'s email address, its part before the @, or me; \'\' clears it' \
                --contact-id=@contacts\t'Contact associated with the organization; \'\' clears it' \
                --one-time-value=\t'One-time value' \
                --recurring-value=\t'Recurring value' \
                --recurring-period=monthly,annual,one_time\t'Period of the recurring value: monthly, annual, one_time' \
                -f=@fields\t'Set a field, replacing all its values; NAME= clears it' \
                --field=@fields\t'Set a field, replacing all its values; NAME= clears it' \
                --add-field=@fields\t'Add one value to a field with several values' \
                --remove-field=@fields\t'Remove one value from a field with several values' \
                --data=\t'Request body as JSON; other flags override it' \
                --where=@sort\t'Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'deals edit' 'deal edit'
            string join \n -- \
                ':@keys' \
                --process=@lists\t'Process: id or name (default: that of `kith config set process`, or the only one)' \
                --file=@files\t'Apply a YAML file, or - for stdin, instead of opening an editor' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'deals delete' 'deals rm' 'deal delete' 'deal rm'
            string join \n -- \
                ':@keys+' \
                --process=@lists\t'Process: id or name (default: that of `kith config set process`, or the only one)' \
                --where=@sort\t'Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'deals import' 'deal import'
            string join \n -- \
                ':@files' \
                --process=@lists\t'Process: id or name (default: that of `kith config set process`, or the only one)' \
                --map=\t'Map a column to a field' \
                --ignore=\t'Ignore this column' \
                --header-row=\t'Row of the column headers (default: found within the first 20 rows)' \
                --sheet=\t'Sheet of an .xlsx file (default: the first)' \
                --encoding=\t'Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr' \
                --tz=\t'Time zone of dates with a time in an .xlsx file (default: this machine\'s)' \
                --strict\t'Import nothing if any row is invalid' \
                --strict-columns\t'Import nothing if any column has no field' \
                --report=@files\t'Write the per-row report to FILE' \
                --undo\t'Undo the import with a report: entries import LIST --undo REPORT' \
                --concurrency=\t'Maximum number of rows imported at once (default 4; 1 for a workspace file); 1 creates records in row order' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $everywhere \
                $guards \
                $http
        case 'deals move' 'deal move'
            string join \n -- \
                ':@keys' \
                ':@statuses' \
                --process=@lists\t'Process: id or name (default: that of `kith config set process`, or the only one)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'deals report' 'deal report'
            string join \n -- \
                ':@lists' \
                --by=@sort\t'Group by assignee, organization, month or a field (default status)' \
                --organization=@organizations\t'Only records of this organization' \
                --contact=@contacts\t'Only records of this contact' \
                --status=@status-list\t'Only entries with one of these statuses, comma-separated' \
                --open\t'Only entries with a status of type active' \
                --closed\t'Only entries with a status of type won or lost' \
                --won\t'Only entries with a status of type won' \
                --lost\t'Only entries with a status of type lost' \
                --closed-after=\t'Only entries that were closed at or after this time' \
                --closed-before=\t'Only entries that were closed before this time' \
                --overdue\t'Only open entries with a date before today, or a time before now, in a field of the process' \
                --due-before=\t'Only open entries with a date or time before this time in a field of the process' \
                --assignee=\t'Only entries with this assignee: mina for mina@x.example; me is the address set with `kith config set user`' \
                --mine\t'Short for --assignee me' \
                --stale=\t'Only entries that have not been updated for this many days' \
                --created-after=\t'Only records created after this time' \
                --updated-after=\t'Only records updated after this time' \
                --where=@sort\t'Only records that match an expression, such as "created_at > 7d"; see kith help scripting' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --compare=@files\t'List the entries that were won, lost, moved, added or removed since the archive was made' \
                --html=@files\t'Write the report as an HTML page to FILE, or - for stdout' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'report'
            string join \n -- \
                ':@lists' \
                --by=@sort\t'Group by assignee, organization, month or a field (default status)' \
                --organization=@organizations\t'Only records of this organization' \
                --contact=@contacts\t'Only records of this contact' \
                --status=@status-list\t'Only entries with one of these statuses, comma-separated' \
                --open\t'Only entries with a status of type active' \
                --closed\t'Only entries with a status of type won or lost' \
                --won\t'Only entries with a status of type won' \
                --lost\t'Only entries with a status of type lost' \
                --closed-after=\t'Only entries that were closed at or after this time' \
                --closed-before=\t'Only entries that were closed before this time' \
                --overdue\t'Only open entries with a date before today, or a time before now, in a field of the process' \
                --due-before=\t'Only open entries with a date or time before this time in a field of the process' \
                --assignee=\t'Only entries with this assignee: mina for mina@x.example; me is the address set with `kith config set user`' \
                --mine\t'Short for --assignee me' \
                --stale=\t'Only entries that have not been updated for this many days' \
                --created-after=\t'Only records created after this time' \
                --updated-after=\t'Only records updated after this time' \
                --where=@sort\t'Only records that match an expression, such as "created_at > 7d"; see kith help scripting' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --compare=@files\t'List the entries that were won, lost, moved, added or removed since the archive was made' \
                --html=@files\t'Write the report as an HTML page to FILE, or - for stdout' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'entries' 'entry'
            string join \n -- \
                list\t'List the entries of a list or process' \
                get\t'Get one entry' \
                show\t'Show an entry with its organization, people, notes and meetings' \
                add\t'Add a contact or an organization to a list or process' \
                update\t'Update an entry' \
                edit\t'Edit an entry as YAML in an editor' \
                delete\t'Delete entries; their contacts and organizations are kept' \
                import\t'Import entries of a list or process from a spreadsheet; safe to run repeatedly' \
                view\t'view: same as show' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete' \
                new\t'new: same as add' \
                create\t'create: same as add' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'entries list' 'entries ls' 'entry list' 'entry ls'
            string join \n -- \
                ':@lists' \
                --organization=@organizations\t'Only records of this organization' \
                --contact=@contacts\t'Only records of this contact' \
                --status=@status-list\t'Only entries with one of these statuses, comma-separated' \
                --open\t'Only entries with a status of type active' \
                --closed\t'Only entries with a status of type won or lost' \
                --won\t'Only entries with a status of type won' \
                --lost\t'Only entries with a status of type lost' \
                --closed-after=\t'Only entries that were closed at or after this time' \
                --closed-before=\t'Only entries that were closed before this time' \
                --overdue\t'Only open entries with a date before today, or a time before now, in a field of the process' \
                --due-before=\t'Only open entries with a date or time before this time in a field of the process' \
                --assignee=\t'Only entries with this assignee: mina for mina@x.example; me is the address set with `kith config set user`' \
                --mine\t'Short for --assignee me' \
                --stale=\t'Only entries that have not been updated for this many days' \
                --created-after=\t'Only records created after this time' \
                --updated-after=\t'Only records updated after this time' \
                --where=@sort\t'Only records that match an expression, such as "created_at > 7d"; see kith help scripting' \
                --sort=@sort\t'Sort by a field; -FIELD sorts in descending order. Reads the whole list first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --count\t'Print the number of records' \
                --sum=@sort\t'Print the sum of a field of type number or money' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'entries get' 'entry get'
            string join \n -- \
                ':@lists-and-keys' \
                ':@keys' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'entries show' 'entries view' 'entry show' 'entry view'
            string join \n -- \
                ':@lists-and-keys' \
                ':@keys' \
                --since=\t'Only notes and meetings since this time' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $pages \
                $output \
                $everywhere \
                $guards \
                $http
        case 'entries add' 'entries new' 'entries create' 'entry add' 'entry new' 'entry create'
            string join \n -- \
                ':@lists' \
                --contact=@contacts\t'Contact to add' \
                --organization=@organizations\t'Organization to add' \
                --status=@statuses\t'Status of the process' \
                --assignee=\t'Assignee\'s email address, its part before the @, or me' \
                --contact-id=@contacts\t'Contact associated with the organization' \
                --one-time-value=\t'One-time value' \
                --recurring-value=\t'Recurring value' \
                --recurring-period=monthly,annual,one_time\t'Period of the recurring value: monthly, annual, one_time' \
                -f=@fields\t'Set a field; NAME= clears it' \
                --field=@fields\t'Set a field; NAME= clears it' \
                --data=\t'Request body as JSON; other flags override it' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'entries update' 'entry update'
            string join \n -- \
                ':@lists-and-keys' \
                ':@keys' \
                --status=@statuses\t'Status of the process' \
                --assignee=\t'Assignee\'s email address, its part before the @, or me; \'\' clears it' \
                --contact-id=@contacts\t'Contact associated with the organization; \'\' clears it' \
                --one-time-value=\t'One-time value' \
                --recurring-value=\t'Recurring value' \
                --recurring-period=monthly,annual,one_time\t'Period of the recurring value: monthly, annual, one_time' \
                -f=@fields\t'Set a field, replacing all its values; NAME= clears it' \
                --field=@fields\t'Set a field, replacing all its values; NAME= clears it' \
                --add-field=@fields\t'Add one value to a field with several values' \
                --remove-field=@fields\t'Remove one value from a field with several values' \
                --data=\t'Request body as JSON; other flags override it' \
                --where=@sort\t'Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'entries edit' 'entry edit'
            string join \n -- \
                ':@lists-and-keys' \
                ':@keys' \
                --file=@files\t'Apply a YAML file, or - for stdin, instead of opening an editor' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'entries delete' 'entries rm' 'entry delete' 'entry rm'
            string join \n -- \
                ':@lists-and-keys' \
                ':@keys+' \
                --where=@sort\t'Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'entries import' 'entry import'
            string join \n -- \
                ':@lists' \
                ':@files' \
                --map=\t'Map a column to a field' \
                --ignore=\t'Ignore this column' \
                --header-row=\t'Row of the column headers (default: found within the first 20 rows)' \
                --sheet=\t'Sheet of an .xlsx file (default: the first)' \
                --encoding=\t'Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr' \
                --tz=\t'Time zone of dates with a time in an .xlsx file (default: this machine\'s)' \
                --strict\t'Import nothing if any row is invalid' \
                --strict-columns\t'Import nothing if any column has no field' \
                --report=@files\t'Write the per-row report to FILE' \
                --undo\t'Undo the import with a report: entries import LIST --undo REPORT' \
                --concurrency=\t'Maximum number of rows imported at once (default 4; 1 for a workspace file); 1 creates records in row order' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $everywhere \
                $guards \
                $http
        case 'meetings' 'events' 'meeting' 'event'
            string join \n -- \
                list\t'List recorded meetings, latest first' \
                get\t'Get one meeting with its recordings' \
                show\t'Show a meeting with its attendees, summary and action items' \
                summary\t'Print the summary of a recording or a meeting' \
                transcript\t'Print the transcript of a recording, as text or as subtitles' \
                grep\t'Search the transcripts of all meetings' \
                export\t'Export meeting summaries as Markdown files' \
                view\t'view: same as show' \
                ls\t'ls: same as list' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'meetings list' 'meetings ls' 'events list' 'events ls' 'meeting list' 'meeting ls' 'event list' 'event ls'
            string join \n -- \
                --updated-after=\t'Only meetings updated after this time' \
                --today\t'Only meetings that start today' \
                --last-week\t'Only meetings that started last week, from Monday to Sunday' \
                --this-month\t'Only meetings that start this month' \
                --starts-after=\t'Only meetings that start at or after this time' \
                --starts-before=\t'Only meetings that start before this time' \
                --contact=@contacts\t'Only meetings with this contact as an attendee' \
                --organization=@organizations\t'Only meetings with an attendee from this organization' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --where=@sort\t'Only records that match an expression, such as "created_at > 7d"; see kith help scripting' \
                --sort=@sort\t'Sort by a field; -FIELD sorts in descending order. Reads the whole list first' \
                --count\t'Print the number of records' \
                --sum=@sort\t'Print the sum of a field of type number or money' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'meetings get' 'events get' 'meeting get' 'event get'
            string join \n -- \
                ':@events' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'meetings show' 'meetings view' 'events show' 'events view' 'meeting show' 'meeting view' 'event show' 'event view'
            string join \n -- \
                ':@events' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards \
                $http
        case 'meetings summary' 'events summary' 'meeting summary' 'event summary'
            string join \n -- \
                ':@events' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards \
                $http
        case 'meetings transcript' 'events transcript' 'meeting transcript' 'event transcript'
            string join \n -- \
                ':@events' \
                --from=\t'Only words that start at or after this time: 12:30, 1:02:30 or seconds' \
                --to=\t'Only words that start before this time' \
                --at=\t'Begin with the utterance that is spoken at this time' \
                --speaker=\t'Only this speaker, by full name' \
                --timestamps\t'Show the start time of each utterance (text only)' \
                --format=text,vtt,srt,json\t'Output format: text, vtt, srt, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards \
                $http
        case 'meetings grep' 'events grep' 'meeting grep' 'event grep'
            string join \n -- \
                ':' \
                --regex\t'Treat the pattern as a JavaScript regular expression' \
                -i\t'Ignore case even if the pattern contains capitals' \
                --ignore-case\t'Ignore case even if the pattern contains capitals' \
                --context=\t'Show N seconds of context around each match' \
                --max=\t'Maximum number of matches' \
                --speaker=\t'Only this speaker, by full name' \
                --out=@folders\t'Search this export folder instead of the service' \
                --starts-after=\t'Only meetings that start at or after this time' \
                --starts-before=\t'Only meetings that start before this time' \
                --contact=@contacts\t'Only meetings with this contact as an attendee' \
                --organization=@organizations\t'Only meetings with an attendee from this organization' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'meetings export' 'events export' 'meeting export' 'event export'
            string join \n -- \
                status\t'Show the status of an export folder' \
                verify\t'Compare an export folder with the service' \
                --out=@folders\t'Output folder (created if missing)' \
                --transcript\t'Include the transcript in the Markdown' \
                --with=json,vtt,srt,txt\t'Additional formats to write: json, vtt, srt, txt' \
                --layout=flat,by-month,by-organization\t'Folder layout: flat, by-month, by-organization' \
                --contact=@contacts\t'Only meetings with this contact as an attendee' \
                --organization=@organizations\t'Only meetings with an attendee from this organization' \
                --since=\t'Export only meetings updated after this time' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --full\t'Fetch everything again, and rebuild a damaged ledger' \
                --ledger=@files\t'File that stores the states of action items, such as a shared file' \
                --prune\t'Delete files of meetings no longer on the service; requires --yes for more than 10% of all files' \
                --adopt\t'Take over a folder exported from this workspace with another key or base URL' \
                --settle=\t'Days to keep checking for unfinished recordings' \
                --mode=\t'File permissions in octal (no effect on Windows)' \
                --concurrency=\t'Number of meetings to fetch in parallel' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $deletions \
                $output \
                $everywhere \
                $guards \
                $http
        case 'meetings export status' 'events export status' 'meeting export status' 'event export status'
            string join \n -- \
                ':@folders' \
                --settle=\t'Days to keep checking for unfinished recordings' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards
        case 'meetings export verify' 'events export verify' 'meeting export verify' 'event export verify'
            string join \n -- \
                ':@folders' \
                --settle=\t'Days to keep checking for unfinished recordings' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards \
                $http
        case 'recordings' 'recording'
            string join \n -- \
                get\t'Get one recording with its summary and transcript' \
                summary\t'Print the summary of a recording or a meeting' \
                transcript\t'Print the transcript of a recording, as text or as subtitles' \
                view\t'view: same as get' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'recordings get' 'recordings view' 'recording get' 'recording view'
            string join \n -- \
                ':@events' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'recordings summary' 'recording summary'
            string join \n -- \
                ':@events' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards \
                $http
        case 'recordings transcript' 'recording transcript'
            string join \n -- \
                ':@events' \
                --from=\t'Only words that start at or after this time: 12:30, 1:02:30 or seconds' \
                --to=\t'Only words that start before this time' \
                --at=\t'Begin with the utterance that is spoken at this time' \
                --speaker=\t'Only this speaker, by full name' \
                --timestamps\t'Show the start time of each utterance (text only)' \
                --format=text,vtt,srt,json\t'Output format: text, vtt, srt, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards \
                $http
        case 'actions' 'action'
            string join \n -- \
                list\t'List the action items of all meetings, latest first' \
                done\t'Mark action items as done' \
                reopen\t'Mark action items as open again' \
                ls\t'ls: same as list' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'actions list' 'actions ls' 'action list' 'action ls'
            string join \n -- \
                --open\t'Only items that are not done' \
                --done\t'Only items that are done' \
                --mine\t'Only items that begin with your name' \
                --since=\t'Only items of meetings that start at or after this time' \
                --organization=@organizations\t'Only items of meetings with an attendee from this organization' \
                --where=@sort\t'Only records that match an expression, such as "created_at > 7d"; see kith help scripting' \
                --sort=@sort\t'Sort by a field; -FIELD sorts in descending order. Reads the whole list first' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --count\t'Print the number of records' \
                --max-age=\t'Update the index first if it is older than this: 30m, 24h, 7d, or 0 for always (default 1h)' \
                --ledger=@files\t'File that stores the states of action items, such as a shared file' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'actions done' 'action done'
            string join \n -- \
                ':+' \
                --ledger=@files\t'File that stores the states of action items, such as a shared file' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $everywhere \
                $guards \
                $http
        case 'actions reopen' 'action reopen'
            string join \n -- \
                ':+' \
                --ledger=@files\t'File that stores the states of action items, such as a shared file' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $everywhere \
                $guards \
                $http
        case 'today'
            string join \n -- \
                --date=\t'Show this day instead of today' \
                --user=\t'User whose day is shown: email address, or its part before the @; me is the address set with `kith config set user`. If neither is set, everyone' \
                --field=\t'Only deals with a date in this field' \
                --stale=\t'Also show open deals that have not been updated for this many days (default 30)' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --max-age=\t'Update the index first if it is older than this: 30m, 24h, 7d, or 0 for always (default 1h)' \
                --ledger=@files\t'File that stores the states of action items, such as a shared file' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'brief'
            string join \n -- \
                ':@subjects' \
                --html=@files\t'Write the brief as an HTML page to FILE, or - for stdout' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --max-age=\t'Update the index first if it is older than this: 30m, 24h, 7d, or 0 for always (default 1h)' \
                --ledger=@files\t'File that stores the states of action items, such as a shared file' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'followup'
            string join \n -- \
                --organization=@organizations\t'Only this organization' \
                --contact=@contacts\t'Only this contact, or the organization of the contact' \
                --explain\t'Show the parts of each score' \
                --mine\t'Only your promises, deals and meetings; short for --user me' \
                --user=\t'Only the promises, deals and meetings of this user' \
                --snooze=\t'Hide the contact or organization for this time, such as 7d, or until a day' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --max-age=\t'Update the index first if it is older than this: 30m, 24h, 7d, or 0 for always (default 1h)' \
                --ledger=@files\t'File that stores the states of action items, such as a shared file' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'search' 'find'
            string join \n -- \
                ':+' \
                --in=\t'Search only these kinds, comma-separated: contacts, organizations, entries, notes, meetings' \
                --since=\t'Only meetings that start, and records updated, at or after this time' \
                --tz=\t'Time zone for dates and times without one (default: this machine\'s)' \
                --max-age=\t'Update the index first if it is older than this: 30m, 24h, 7d, or 0 for always (default 1h)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'undo'
            string join \n -- \
                ':' \
                --list\t'List the recorded commands instead' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $everywhere \
                $guards \
                $http
        case 'redo'
            string join \n -- \
                ':' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $everywhere \
                $guards \
                $http
        case 'batch'
            string join \n -- \
                ':@files' \
                --line=\t'Line to run instead of a file' \
                --parallel=\t'Run up to N lines at once; a line waits for the lines that it refers to' \
                --stop-on-error\t'Stop at the first line that fails' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'api'
            string join \n -- \
                ':' \
                -X=GET,POST,PATCH,DELETE\t'HTTP method (default GET, or POST with fields or a body): GET, POST, PATCH, DELETE' \
                --method=GET,POST,PATCH,DELETE\t'HTTP method (default GET, or POST with fields or a body): GET, POST, PATCH, DELETE' \
                -f=\t'A field of the body, as text' \
                --raw-field=\t'A field of the body, as text' \
                -F=\t'A field of the body: true, false, null, a number, @FILE for its text, or text' \
                --field=\t'A field of the body: true, false, null, a number, @FILE for its text, or text' \
                --input=@files\t'Read the request body from a file, or - for stdin' \
                --paginate\t'Fetch all pages of a list and print one array' \
                --format=json,ndjson\t'Output format: json, ndjson' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $everywhere \
                $guards \
                $http
        case 'auth'
            string join \n -- \
                login\t'Sign in to a hosted service or create a local workspace' \
                status\t'Show the active workspace and its key, and check that they work' \
                list\t'List profiles' \
                switch\t'Switch to another profile' \
                logout\t'Remove a profile and its key; workspace files and databases are kept' \
                ls\t'ls: same as list' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'auth login'
            string join \n -- \
                --key-stdin\t'Read the API key from stdin' \
                --keychain\t'Store the API key in the system keychain' \
                --local\t'Use a local workspace: a file, or a PostgreSQL database' \
                --database=@files\t'Workspace file or PostgreSQL URL' \
                --demo\t'Fill the workspace with sample data' \
                --region=\t'Country of phone numbers without a country code (default US)' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards \
                $http
        case 'auth status'
            string join \n -- \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'auth list' 'auth ls'
            string join \n -- \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards
        case 'auth switch'
            string join \n -- \
                ':@profiles' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards
        case 'auth logout'
            string join \n -- \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $deletions \
                $output \
                $everywhere \
                $guards
        case 'serve'
            string join \n -- \
                --database=@files\t'Workspace file or PostgreSQL URL' \
                --demo\t'Use the sample workspace' \
                --host=\t'Address to listen on' \
                --port=\t'Port to listen on; 0 selects a free port' \
                --metrics-port=\t'Port for /metrics without a key; if omitted, on --port with a key' \
                --tls-cert=@files\t'TLS certificate (PEM)' \
                --tls-key=@files\t'TLS private key (PEM)' \
                --drain=\t'Time to accept requests on open connections after SIGTERM (default 5)' \
                --behind-proxy\t'Allow plain HTTP on any address, behind a TLS proxy' \
                --rate-limit=\t'Maximum requests per key and minute; on PostgreSQL, all processes share it' \
                --pool-size=\t'Maximum connections to PostgreSQL (default 10)' \
                --statement-timeout=\t'Time limit for a PostgreSQL statement (default 30)' \
                --lenient\t'Ignore unknown fields in request bodies; return the existing entry if a record is added again with equal values' \
                --fault=\t'Fail some requests to test scripts: a fault and its probability, or `slow` and a delay, comma-separated' \
                --seed=\t'Repeat the faults of an earlier run, which printed this seed' \
                --region=\t'Country of phone numbers without a country code (default US)' \
                --log-format=text,json\t'Log format on stderr: text, json' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards
        case 'migrate'
            string join \n -- \
                --database=@files\t'Workspace file or PostgreSQL URL' \
                --demo\t'Use the sample workspace' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards
        case 'keys'
            string join \n -- \
                create\t'Create an API key for `kith serve`; it is shown once' \
                list\t'List API keys, without their secrets' \
                revoke\t'Revoke an API key; takes effect immediately' \
                ls\t'ls: same as list' \
                new\t'new: same as create' \
                add\t'add: same as create' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'keys create' 'keys new' 'keys add'
            string join \n -- \
                ':' \
                --read-only\t'Create a read-only key' \
                --database=@files\t'Workspace file or PostgreSQL URL' \
                --demo\t'Use the sample workspace' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards
        case 'keys list' 'keys ls'
            string join \n -- \
                --database=@files\t'Workspace file or PostgreSQL URL' \
                --demo\t'Use the sample workspace' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards
        case 'keys revoke'
            string join \n -- \
                ':' \
                --database=@files\t'Workspace file or PostgreSQL URL' \
                --demo\t'Use the sample workspace' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards
        case 'workspace'
            string join \n -- \
                info\t'Show the user, time zone, guards, lists, fields and assignees of the workspace' \
                backup\t'Back up the whole workspace to an archive' \
                verify\t'Check an archive for damage and missing records' \
                copy\t'Copy a workspace to another one, or to an archive' \
                diff\t'Compare two workspaces or archives' \
                pull\t'Copy a hosted workspace to this machine, to read it with --offline' \
                checkout\t'Write the records of a workspace as files, or bring the files up to date' \
                status\t'List the files of a working copy that differ from the service' \
                push\t'Send the changes in the files of a working copy to the service' \
                import-events\t'Import the meetings of a calendar into a local workspace' \
                import-recording\t'Add or replace the transcript and summary of a meeting in a local workspace' \
                remove-recording\t'Remove recordings from a local workspace' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'workspace info'
            string join \n -- \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'workspace backup'
            string join \n -- \
                ':@folders' \
                --archive=@files\t'Write the archive to a .tar.gz file' \
                --keep=\t'Number of older states to keep in the folder' \
                --force\t'Write to a folder or file with other contents' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards \
                $http
        case 'workspace verify'
            string join \n -- \
                ':@files' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards
        case 'workspace copy'
            string join \n -- \
                ':@files' \
                ':@files' \
                --verbose\t'Print each record instead of counts' \
                --concurrency=\t'Maximum number of records written at once (default 4; 1 for a workspace file)' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'workspace diff'
            string join \n -- \
                ':@files' \
                ':@files' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'workspace pull'
            string join \n -- \
                --remove\t'Remove the offline copy' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards \
                $http
        case 'workspace checkout'
            string join \n -- \
                ':@folders' \
                --only=contacts,organizations,lists,custom-fields,meetings\t'Only these folders, comma-separated: contacts, organizations, lists, custom-fields, meetings' \
                --overwrite\t'Replace files that you edited, and restore files that you deleted' \
                --force\t'Allow a new working copy in a folder with other files' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $deletions \
                $output \
                $everywhere \
                $guards \
                $http
        case 'workspace status'
            string join \n -- \
                ':@folders' \
                --local\t'Compare only the files, without reading the service' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'workspace push'
            string join \n -- \
                ':@folders' \
                --delete=\t'Number of deleted files; required for more than three files that are more than 10 % of a kind, or for all files of a folder' \
                --overwrite\t'Send conflicts too: the values in the files replace the values on the service' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'workspace import-events'
            string join \n -- \
                ':@files' \
                --encoding=\t'Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr' \
                --database=@files\t'Workspace file or PostgreSQL URL' \
                --demo\t'Use the sample workspace' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards
        case 'workspace import-recording'
            string join \n -- \
                ':' \
                ':@files' \
                --summary=@files\t'Summary file' \
                --language=\t'Language of a .vtt or .srt file (default und)' \
                --recording=\t'Update this recording of the meeting' \
                --add\t'Add another recording to the meeting' \
                --encoding=\t'Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr' \
                --database=@files\t'Workspace file or PostgreSQL URL' \
                --demo\t'Use the sample workspace' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards
        case 'workspace remove-recording'
            string join \n -- \
                ':+' \
                --database=@files\t'Workspace file or PostgreSQL URL' \
                --demo\t'Use the sample workspace' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards
        case 'schedule'
            string join \n -- \
                install\t'Install a schedule in cron, systemd or launchd' \
                list\t'List installed schedules with their next and last runs' \
                run\t'Run an installed schedule now, as its scheduler does' \
                remove\t'Remove a schedule from its scheduler, with its log' \
                ls\t'ls: same as list' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'schedule install'
            string join \n -- \
                ':' \
                ':+' \
                --every=\t'Run at this interval, starting at midnight: 1m to 30m, or 1h to 12h' \
                --hourly=\t'Run every hour at this minute' \
                --daily=\t'Run every day at this time' \
                --weekly=\t'Run every week on these days at this time, such as "mon 07:30", "mon,thu 07:30" or "mon-fri 07:30"' \
                --monthly=\t'Run every month on these days at this time, such as "1 03:00" or "1,15 03:00"; a day is skipped in months that do not have it' \
                --for=cron,systemd,launchd\t'Scheduler (default: launchd on macOS, systemd if it runs for this user, or else cron): cron, systemd, launchd' \
                --on-failure=\t'Run this shell command if the job fails, with KITH_SCHEDULE, KITH_EXIT_CODE, KITH_ERROR and KITH_LOG in its environment' \
                --after-failures=\t'Print a failure and run the --on-failure command only from the Nth failure in a row (default 1)' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $everywhere \
                $guards
        case 'schedule list' 'schedule ls'
            string join \n -- \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards
        case 'schedule run'
            string join \n -- \
                ':@schedules' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards
        case 'schedule remove'
            string join \n -- \
                ':@schedules' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $output \
                $everywhere \
                $guards
        case 'index'
            string join \n -- \
                update\t'Update the search index from the service' \
                status\t'Show the size and age of the search index' \
                clear\t'Remove the search index' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'index update'
            string join \n -- \
                --full\t'Read everything again, including unchanged meetings' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards \
                $http
        case 'index status'
            string join \n -- \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'index clear'
            string join \n -- \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards \
                $http
        case 'config'
            string join \n -- \
                list\t'Show flag defaults, your overrides and other settings' \
                get\t'Print the effective default of a flag, or another setting' \
                set\t'Set the default of a flag, or another setting' \
                unset\t'Reset a flag or another setting to its built-in default' \
                path\t'Print the path of the settings file' \
                view\t'view: same as get' \
                ls\t'ls: same as list' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'config list' 'config ls'
            string join \n -- \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards
        case 'config get' 'config view'
            string join \n -- \
                ':limit,page-size,timeout,retries,max-wait,format,undo,user,process,currency,followup-weights,readonly,allow,max-writes,max-requests' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards
        case 'config set'
            string join \n -- \
                ':limit,page-size,timeout,retries,max-wait,format,undo,user,process,currency,followup-weights,readonly,allow,max-writes,max-requests' \
                ':' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards
        case 'config unset'
            string join \n -- \
                ':limit,page-size,timeout,retries,max-wait,format,undo,user,process,currency,followup-weights,readonly,allow,max-writes,max-requests' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards
        case 'config path'
            string join \n -- \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards
        case 'alias'
            string join \n -- \
                set\t'Define a short name for a command with its flags' \
                list\t'List aliases' \
                delete\t'Delete an alias' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'alias set'
            string join \n -- \
                ':' \
                ':' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards
        case 'alias list' 'alias ls'
            string join \n -- \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards
        case 'alias delete' 'alias rm'
            string join \n -- \
                ':@aliases' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards
        case 'doctor'
            string join \n -- \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'version'
            string join \n -- \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards
        case 'mcp'
            string join \n -- \
                --allow-write\t'Also serve tools that create, update, delete and undo' \
                --tools=@toolsets\t'Serve only these tools, comma-separated: names, patterns such as records_*, or the sets read, contacts, organizations, notes, deals, lists, and meetings' \
                --max-chars=\t'Maximum length of the text of a result, in characters' \
                --max-tokens=\t'Maximum length in estimated tokens instead: a token is 4 Latin characters or 1 other character' \
                --results=both,text,structured\t'Parts of a result to send; both parts have the same data: both, text, structured' \
                --http\t'Serve over HTTP (Streamable HTTP) instead of stdin and stdout' \
                --host=\t'Loopback address to listen on, with --http' \
                --port=\t'Port to listen on, with --http; 0 selects a free port' \
                --allow-origin=\t'Origin of a web page or a proxy that may connect, with --http' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards \
                $http
        case 'agents'
            string join \n -- \
                install\t'Write a skill file that teaches agents to use kith' \
                list\t'List agents and their skill files' \
                remove\t'Remove kith\'s skill files' \
                show\t'Print the skill file' \
                view\t'view: same as show' \
                ls\t'ls: same as list' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $writing \
                $deletions \
                $limit \
                $paging \
                $pages \
                $output \
                $records \
                $everywhere \
                $guards \
                $http
        case 'agents install'
            string join \n -- \
                ':+' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards
        case 'agents list' 'agents ls'
            string join \n -- \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards
        case 'agents remove'
            string join \n -- \
                ':+' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $deletions \
                $output \
                $records \
                $everywhere \
                $guards
        case 'agents show' 'agents view'
            string join \n -- \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards
        case 'commands'
            string join \n -- \
                ':' \
                ':' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards
        case 'schema'
            string join \n -- \
                ':contacts,organizations,notes,custom-fields,lists,entries,events,recordings,actions,commands,error,envelope,compact,request,deletion,write-result,batch-line,figures,contact-overview,organization-overview,entry-overview,event-overview,summary,recording-summary,utterance,recording-transcript,transcript-match,search-result,day,brief,changed-action,follow-up,snoozed,duplicate-pair,report-status,report-group,report-change,export-result,export-status,verified-export,import-result,import-row,import-revert,revert,recorded-command,api-response,login,auth-status,profile,chosen-profile,stopped-server,migration,key,workspace,backup-result,archive-check,planned-copy,copied-table,incomplete-copy,merged-copy,difference,pull-result,removal,checkout-result,file-status,pushed-file,imported-event,imported-recording,removable-recording,installed-schedule,schedule,scheduled-run,removed-schedule,index-update,index-status,setting,changed-setting,path,alias,finding,version,agent,skill,schema-title,schema,completion' \
                --format=table,json,ndjson,compact,csv,tsv,md,html,xlsx\t'Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $records \
                $everywhere \
                $guards
        case 'completion'
            string join \n -- \
                ':bash,zsh,fish,powershell' \
                --format=text,json\t'Output format: text, json' \
                -h\t'Print help' \
                --help\t'Print help' \
                $output \
                $everywhere \
                $guards
        case 'help'
            string join \n -- \
                contacts\t'Find, create, update, delete and import contacts' \
                organizations\t'Find, create, update, delete and import organizations' \
                notes\t'Manage notes about organizations' \
                custom-fields\t'Manage custom fields of contacts, organizations and deals' \
                lists\t'Manage lists and processes, and report on a process' \
                deals\t'Find, add, move and import the deals of a process: its entries' \
                report\t'Report the deals and values of a process by status or another field' \
                entries\t'Manage the entries of a list or process' \
                meetings\t'List, show, search and export recorded meetings' \
                recordings\t'Print summaries and transcripts of recordings' \
                actions\t'List the action items of all meetings, and mark them as done' \
                today\t'Show the meetings, due deals and open action items of a day' \
                brief\t'Show what to know before a call: people, deals, promises and changes' \
                followup\t'Show whom to contact next, with the reasons' \
                search\t'Search contacts, organizations, entries, notes and meetings' \
                undo\t'Revert the last command that changed the workspace' \
                redo\t'Revert the last undo' \
                batch\t'Run the commands in a file, one per line' \
                api\t'Send any request to the API' \
                auth\t'Sign in to workspaces and switch between profiles' \
                serve\t'Serve a local workspace over HTTP' \
                migrate\t'Update the schema of a workspace' \
                keys\t'Manage the API keys of a local workspace' \
                workspace\t'Show, back up, copy and compare workspaces, and import calendars and recordings' \
                schedule\t'Schedule commands with cron, systemd or launchd' \
                index\t'Update, inspect and remove the local search index' \
                config\t'Manage flag defaults and other settings' \
                alias\t'Define short names for commands with their flags' \
                doctor\t'Check the installation, settings, key and service' \
                version\t'Print the version, its build, and the version of Node.js' \
                mcp\t'Serve the workspace to AI agents as MCP tools' \
                agents\t'Install a skill file that teaches agents to use kith' \
                commands\t'List all commands with their arguments and flags, as JSON for programs' \
                schema\t'Print the JSON Schema of a record, or of another JSON document' \
                completion\t'Generate completion scripts for bash, zsh, fish and PowerShell' \
                people\t'people: same as contacts' \
                companies\t'companies: same as organizations' \
                find\t'find: same as search' \
                all\t'all commands and topics' \
                records\t'create, edit, delete and undo' \
                export\t'export meetings to files' \
                import\t'import spreadsheets' \
                backup\t'back up, copy, compare, read offline' \
                files\t'edit records as files' \
                scripting\t'formats, paging, retries, exit codes' \
                configuration\t'profiles, keys, aliases, files' \
                service\t'serve a workspace' \
                reliability\t'what happens when something fails' \
                stability\t'interfaces that do not change before the next major version' \
                flags\t'the flags that commands share' \
                environment\t'the environment variables that kith reads' \
                exit-codes\t'the meaning of each exit code'
        case 'help contacts' 'help people' 'help person' 'help contact'
            string join \n -- \
                list\t'List contacts' \
                get\t'Get one contact' \
                show\t'Show a contact with its organization, entries, notes and meetings' \
                find\t'Find a contact by email or phone number' \
                create\t'Create a contact' \
                upsert\t'Update the contact with an email, phone number or name, or create one' \
                update\t'Update a contact; adds emails to the existing ones' \
                edit\t'Edit a contact as YAML in an editor' \
                remove-emails\t'Remove email addresses from a contact' \
                delete\t'Delete contacts and their entries' \
                import\t'Import contacts from a spreadsheet; safe to run repeatedly' \
                duplicates\t'List contacts that are likely duplicates' \
                merge\t'Merge a contact into another' \
                view\t'view: same as show' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete' \
                new\t'new: same as create' \
                add\t'add: same as create'
        case 'help organizations' 'help orgs' 'help companies' 'help company' 'help organization' 'help org'
            string join \n -- \
                list\t'List organizations' \
                get\t'Get one organization' \
                show\t'Show an organization with its people, entries, notes and meetings' \
                find\t'Find an organization by domain or name' \
                create\t'Create an organization' \
                upsert\t'Update the organization with a domain or name, or create one' \
                update\t'Update an organization; adds domains to the existing ones' \
                edit\t'Edit an organization as YAML in an editor' \
                remove-domains\t'Remove domains from an organization' \
                delete\t'Delete organizations, their notes and their entries' \
                import\t'Import organizations from a spreadsheet; safe to run repeatedly' \
                duplicates\t'List organizations that are likely duplicates' \
                merge\t'Merge an organization into another' \
                view\t'view: same as show' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete' \
                new\t'new: same as create' \
                add\t'add: same as create'
        case 'help notes' 'help note'
            string join \n -- \
                list\t'List notes' \
                get\t'Get one note' \
                create\t'Create a note about an organization' \
                update\t'Update the body or the deal of a note' \
                edit\t'Edit a note as YAML in an editor' \
                import\t'Import notes from a spreadsheet; safe to run repeatedly' \
                delete\t'Delete notes' \
                view\t'view: same as get' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete' \
                new\t'new: same as create' \
                add\t'add: same as create'
        case 'help custom-fields' 'help fields' 'help custom-field' 'help field'
            string join \n -- \
                list\t'List custom fields' \
                get\t'Get one custom field' \
                create\t'Create a custom field' \
                update\t'Update the name or the options of a custom field' \
                edit\t'Edit a custom field as YAML in an editor' \
                delete\t'Delete custom fields and their values' \
                view\t'view: same as get' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete' \
                new\t'new: same as create' \
                add\t'add: same as create'
        case 'help lists' 'help list'
            string join \n -- \
                list\t'List lists and processes' \
                get\t'Get one list or process' \
                report\t'Report the entries and values of a process by status or another field' \
                create\t'Create a list or a process' \
                update\t'Update a list or process' \
                edit\t'Edit a list as YAML in an editor' \
                delete\t'Delete lists or processes and their entries' \
                view\t'view: same as get' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete' \
                new\t'new: same as create' \
                add\t'add: same as create'
        case 'help deals' 'help deal'
            string join \n -- \
                list\t'List the entries of a list or process' \
                get\t'Get one entry' \
                show\t'Show an entry with its organization, people, notes and meetings' \
                add\t'Add a contact or an organization to a list or process' \
                update\t'Update an entry' \
                edit\t'Edit an entry as YAML in an editor' \
                delete\t'Delete entries; their contacts and organizations are kept' \
                import\t'Import entries of a list or process from a spreadsheet; safe to run repeatedly' \
                move\t'Change the status of a deal' \
                report\t'Report the entries and values of a process by status or another field' \
                view\t'view: same as show' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete' \
                new\t'new: same as add' \
                create\t'create: same as add'
        case 'help entries' 'help entry'
            string join \n -- \
                list\t'List the entries of a list or process' \
                get\t'Get one entry' \
                show\t'Show an entry with its organization, people, notes and meetings' \
                add\t'Add a contact or an organization to a list or process' \
                update\t'Update an entry' \
                edit\t'Edit an entry as YAML in an editor' \
                delete\t'Delete entries; their contacts and organizations are kept' \
                import\t'Import entries of a list or process from a spreadsheet; safe to run repeatedly' \
                view\t'view: same as show' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete' \
                new\t'new: same as add' \
                create\t'create: same as add'
        case 'help meetings' 'help events' 'help meeting' 'help event'
            string join \n -- \
                list\t'List recorded meetings, latest first' \
                get\t'Get one meeting with its recordings' \
                show\t'Show a meeting with its attendees, summary and action items' \
                summary\t'Print the summary of a recording or a meeting' \
                transcript\t'Print the transcript of a recording, as text or as subtitles' \
                grep\t'Search the transcripts of all meetings' \
                export\t'Export meeting summaries as Markdown files' \
                view\t'view: same as show' \
                ls\t'ls: same as list'
        case 'help meetings export' 'help events export' 'help meeting export' 'help event export'
            string join \n -- \
                status\t'Show the status of an export folder' \
                verify\t'Compare an export folder with the service'
        case 'help recordings' 'help recording'
            string join \n -- \
                get\t'Get one recording with its summary and transcript' \
                summary\t'Print the summary of a recording or a meeting' \
                transcript\t'Print the transcript of a recording, as text or as subtitles' \
                view\t'view: same as get'
        case 'help actions' 'help action'
            string join \n -- \
                list\t'List the action items of all meetings, latest first' \
                done\t'Mark action items as done' \
                reopen\t'Mark action items as open again' \
                ls\t'ls: same as list'
        case 'help auth'
            string join \n -- \
                login\t'Sign in to a hosted service or create a local workspace' \
                status\t'Show the active workspace and its key, and check that they work' \
                list\t'List profiles' \
                switch\t'Switch to another profile' \
                logout\t'Remove a profile and its key; workspace files and databases are kept' \
                ls\t'ls: same as list'
        case 'help keys'
            string join \n -- \
                create\t'Create an API key for `kith serve`; it is shown once' \
                list\t'List API keys, without their secrets' \
                revoke\t'Revoke an API key; takes effect immediately' \
                ls\t'ls: same as list' \
                new\t'new: same as create' \
                add\t'add: same as create'
        case 'help workspace'
            string join \n -- \
                info\t'Show the user, time zone, guards, lists, fields and assignees of the workspace' \
                backup\t'Back up the whole workspace to an archive' \
                verify\t'Check an archive for damage and missing records' \
                copy\t'Copy a workspace to another one, or to an archive' \
                diff\t'Compare two workspaces or archives' \
                pull\t'Copy a hosted workspace to this machine, to read it with --offline' \
                checkout\t'Write the records of a workspace as files, or bring the files up to date' \
                status\t'List the files of a working copy that differ from the service' \
                push\t'Send the changes in the files of a working copy to the service' \
                import-events\t'Import the meetings of a calendar into a local workspace' \
                import-recording\t'Add or replace the transcript and summary of a meeting in a local workspace' \
                remove-recording\t'Remove recordings from a local workspace'
        case 'help schedule'
            string join \n -- \
                install\t'Install a schedule in cron, systemd or launchd' \
                list\t'List installed schedules with their next and last runs' \
                run\t'Run an installed schedule now, as its scheduler does' \
                remove\t'Remove a schedule from its scheduler, with its log' \
                ls\t'ls: same as list'
        case 'help index'
            string join \n -- \
                update\t'Update the search index from the service' \
                status\t'Show the size and age of the search index' \
                clear\t'Remove the search index'
        case 'help config'
            string join \n -- \
                list\t'Show flag defaults, your overrides and other settings' \
                get\t'Print the effective default of a flag, or another setting' \
                set\t'Set the default of a flag, or another setting' \
                unset\t'Reset a flag or another setting to its built-in default' \
                path\t'Print the path of the settings file' \
                view\t'view: same as get' \
                ls\t'ls: same as list'
        case 'help alias'
            string join \n -- \
                set\t'Define a short name for a command with its flags' \
                list\t'List aliases' \
                delete\t'Delete an alias' \
                ls\t'ls: same as list' \
                rm\t'rm: same as delete'
        case 'help agents'
            string join \n -- \
                install\t'Write a skill file that teaches agents to use kith' \
                list\t'List agents and their skill files' \
                remove\t'Remove kith\'s skill files' \
                show\t'Print the skill file' \
                view\t'view: same as show' \
                ls\t'ls: same as list'
    end
end

complete --command kith --erase
complete --command kith --no-files --keep-order --arguments '(__kith_candidates)'
complete --command kith --condition '__kith_offers @files' --force-files
complete --command kith --condition '__kith_offers @folders' --arguments '(__fish_complete_directories)'
