# Completion of kith in PowerShell: kith completion powershell | Out-String | Invoke-Expression
# Generated from the command tree: npm run generate

Register-ArgumentCompleter -Native -CommandName kith -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    Set-StrictMode -Off

    # Outputs what may follow the words in $path, one per line: words, a : before each argument of a command, and
    # flags. After that :, and after the = of a flag, come the candidates: words, an @ and the name of a source, or
    # nothing. A + at the end marks an argument that can be repeated. A description follows ' -- '.
    function Get-KithSyntax([string] $path) {
        $writing = @(
            '-n -- Preview the requests without sending them'
            '--dry-run -- Preview the requests without sending them'
        )
        $deletions = @(
            '-y -- Skip the confirmation prompt'
            '--yes -- Skip the confirmation prompt'
        )
        $limit = @(
            '--limit= -- Maximum number of records (default 25)'
        )
        $paging = @(
            '--all -- Print all records'
            '--after= -- Continue a list: pagination.next of the same command with --json-envelope'
        )
        $pages = @(
            '--page-size= -- Records per request (default 100)'
        )
        $output = @(
            '--json -- Short for --format json'
            '--json-envelope -- Print JSON as {data, pagination, warnings}'
            '--jq= -- Filter the JSON output with a jq expression'
            '-o=@files -- Write the output to a file, whose extension sets the format: people.csv, people.xlsx'
            '--output=@files -- Write the output to a file, whose extension sets the format: people.csv, people.xlsx'
            '-q -- Suppress informational messages'
            '--quiet -- Suppress informational messages'
            '--no-color -- Disable colors'
            '--no-input -- Never prompt'
        )
        $records = @(
            '--fields=@columns -- Print only these fields, comma-separated: headers or paths such as emails.0'
            '--ids-only -- Print only the ids, one per line'
            '--wide -- Show all columns of a table at full width; the pager scrolls sideways'
            '--no-header -- Omit the header row'
            '--bom -- Start CSV with a byte order mark, for Excel'
        )
        $everywhere = @(
            '--profile=@profiles -- Use this profile'
            '-v -- Print requests, headers, sizes, times and retries on stderr'
            '--debug -- Print requests, headers, sizes, times and retries on stderr'
        )
        $guards = @(
            '--readonly -- Refuse all writes to the workspace'
            '--allow=@permissions -- Allow only these writes, such as contacts,notes:create; none refuses all writes'
            '--max-writes= -- Stop after this many writes, with exit code 9'
            '--max-requests= -- Stop after this many requests, with exit code 9'
        )
        $http = @(
            '--base-url= -- Base URL of the service'
            '--timeout= -- Timeout of a request, in seconds (default 30)'
            '--retries= -- Retries per request (default 4)'
            '--max-wait= -- Maximum time to wait for retries, in seconds (default 60)'
            '--offline -- Read the offline copy of `kith workspace pull` instead of the service; writes are refused'
        )
        switch -CaseSensitive ($path) {
            '' {
                'contacts -- Find, create, update, delete and import contacts'
                'organizations -- Find, create, update, delete and import organizations'
                'notes -- Manage notes about organizations'
                'custom-fields -- Manage custom fields of contacts, organizations and deals'
                'lists -- Manage lists and processes, and report on a process'
                'deals -- Find, add, move and import the deals of a process: its entries'
                'report -- Report the deals and values of a process by status or another field'
                'entries -- Manage the entries of a list or process'
                'meetings -- List, show, search and export recorded meetings'
                'recordings -- Print summaries and transcripts of recordings'
                'actions -- List the action items of all meetings, and mark them as done'
                'today -- Show the meetings, due deals and open action items of a day'
                'brief -- Show what to know before a call: people, deals, promises and changes'
                'followup -- Show whom to contact next, with the reasons'
                'search -- Search contacts, organizations, entries, notes and meetings'
                'undo -- Revert the last command that changed the workspace'
                'redo -- Revert the last undo'
                'batch -- Run the commands in a file, one per line'
                'api -- Send any request to the API'
                'auth -- Sign in to workspaces and switch between profiles'
                'serve -- Serve a local workspace over HTTP'
                'migrate -- Update the schema of a workspace'
                'keys -- Manage the API keys of a local workspace'
                'workspace -- Show, back up, copy and compare workspaces, and import calendars and recordings'
                'schedule -- Schedule commands with cron, systemd or launchd'
                'index -- Update, inspect and remove the local search index'
                'config -- Manage flag defaults and other settings'
                'alias -- Define short names for commands with their flags'
                'doctor -- Check the installation, settings, key and service'
                'version -- Print the version, its build, and the version of Node.js'
                'mcp -- Serve the workspace to AI agents as MCP tools'
                'agents -- Install a skill file that teaches agents to use kith'
                'commands -- List all commands with their arguments and flags, as JSON for programs'
                'schema -- Print the JSON Schema of a record, or of another JSON document'
                'completion -- Generate completion scripts for bash, zsh, fish and PowerShell'
                'people -- people: same as contacts'
                'companies -- companies: same as organizations'
                'find -- find: same as search'
                'help -- Help for a command or a topic'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                '-V -- Print the version'
                '--version -- Print the version'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'contacts', 'people', 'person', 'contact' -ccontains $_ } {
                'list -- List contacts'
                'get -- Get one contact'
                'show -- Show a contact with its organization, entries, notes and meetings'
                'find -- Find a contact by email or phone number'
                'create -- Create a contact'
                'upsert -- Update the contact with an email, phone number or name, or create one'
                'update -- Update a contact; adds emails to the existing ones'
                'edit -- Edit a contact as YAML in an editor'
                'remove-emails -- Remove email addresses from a contact'
                'delete -- Delete contacts and their entries'
                'import -- Import contacts from a spreadsheet; safe to run repeatedly'
                'duplicates -- List contacts that are likely duplicates'
                'merge -- Merge a contact into another'
                'view -- view: same as show'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
                'new -- new: same as create'
                'add -- add: same as create'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'contacts list', 'contacts ls', 'people list', 'people ls', 'person list', 'person ls', 'contact list', 'contact ls' -ccontains $_ } {
                '--organization=@organizations -- Only records of this organization'
                '--list=@lists -- Only records in this list or process'
                '--created-after= -- Only records created after this time'
                '--updated-after= -- Only records updated after this time'
                '--where=@sort -- Only records that match an expression, such as "created_at > 7d"; see kith help scripting'
                '--sort=@sort -- Sort by a field; -FIELD sorts in descending order. Reads the whole list first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--count -- Print the number of records'
                '--sum=@sort -- Print the sum of a field of type number or money'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'contacts get', 'people get', 'person get', 'contact get' -ccontains $_ } {
                ':@contacts'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'contacts show', 'contacts view', 'people show', 'people view', 'person show', 'person view', 'contact show', 'contact view' -ccontains $_ } {
                ':@contacts'
                '--since= -- Only notes and meetings since this time'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $pages
                $output
                $everywhere
                $guards
                $http
            }
            { 'contacts find', 'people find', 'person find', 'contact find' -ccontains $_ } {
                '--email= -- Exact email address'
                '--phone= -- Phone number, in any common format'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'contacts create', 'contacts new', 'contacts add', 'people create', 'people new', 'people add', 'person create', 'person new', 'person add', 'contact create', 'contact new', 'contact add' -ccontains $_ } {
                ':'
                '--name= -- Full name, which kith splits into first and last name'
                '--first-name= -- First name'
                '--last-name= -- Last name'
                '--email= -- Email address'
                '--phone= -- Phone number, in any common format'
                '--organization=@organizations -- Organization; auto matches the domain of the first email address'
                '--create-organization -- Create the organization if none matches --organization'
                '--if-absent=email,phone,name -- If a record has the same value, print it instead of creating one: email, phone, name'
                '-f=@fields -- Set a field; NAME= clears it'
                '--field=@fields -- Set a field; NAME= clears it'
                '--data= -- Request body as JSON; other flags override it'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'contacts upsert', 'people upsert', 'person upsert', 'contact upsert' -ccontains $_ } {
                '--name= -- Full name, which kith splits into first and last name'
                '--first-name= -- First name'
                '--last-name= -- Last name'
                '--email= -- Email address'
                '--phone= -- Phone number, in any common format'
                '--organization=@organizations -- Organization; auto matches the domain of the first email address'
                '--create-organization -- Create the organization if none matches --organization'
                '--by=email,phone,name -- Field that finds the record to update (default: the first that is set): email, phone, name'
                '-f=@fields -- Set a field; NAME= clears it'
                '--field=@fields -- Set a field; NAME= clears it'
                '--data= -- Request body as JSON; other flags override it'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'contacts update', 'people update', 'person update', 'contact update' -ccontains $_ } {
                ':@contacts'
                '--name= -- Full name, which kith splits into first and last name'
                '--first-name= -- First name; '''' clears it'
                '--last-name= -- Last name; '''' clears it'
                '--email= -- Email address'
                '--phone= -- Phone number, in any common format'
                '--organization=@organizations -- Organization; '''' clears it'
                '-f=@fields -- Set a field, replacing all its values; NAME= clears it'
                '--field=@fields -- Set a field, replacing all its values; NAME= clears it'
                '--add-field=@fields -- Add one value to a field with several values'
                '--remove-field=@fields -- Remove one value from a field with several values'
                '--data= -- Request body as JSON; other flags override it'
                '--where=@sort -- Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'contacts edit', 'people edit', 'person edit', 'contact edit' -ccontains $_ } {
                ':@contacts'
                '--file=@files -- Apply a YAML file, or - for stdin, instead of opening an editor'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'contacts remove-emails', 'people remove-emails', 'person remove-emails', 'contact remove-emails' -ccontains $_ } {
                ':@contacts'
                ':+'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'contacts delete', 'contacts rm', 'people delete', 'people rm', 'person delete', 'person rm', 'contact delete', 'contact rm' -ccontains $_ } {
                ':@contacts+'
                '--where=@sort -- Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'contacts import', 'people import', 'person import', 'contact import' -ccontains $_ } {
                ':@files'
                '--map= -- Map a column to a field'
                '--ignore= -- Ignore this column'
                '--header-row= -- Row of the column headers (default: found within the first 20 rows)'
                '--sheet= -- Sheet of an .xlsx file (default: the first)'
                '--encoding= -- Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr'
                '--tz= -- Time zone of dates with a time in an .xlsx file (default: this machine''s)'
                '--strict -- Import nothing if any row is invalid'
                '--strict-columns -- Import nothing if any column has no field'
                '--report=@files -- Write the per-row report to FILE'
                '--undo -- Undo the import whose report is FILE'
                '--concurrency= -- Maximum number of rows imported at once (default 4; 1 for a workspace file); 1 creates records in row order'
                '--organization= -- Column that names the organization; auto: the service chooses by the domain of the first email'
                '--allow-unmatched -- Import rows that have no email or phone (re-importing creates duplicates)'
                '--create-fields -- Create custom fields for unmatched columns, with the type in the header (Level:select:Gold,Silver) or the type of the values'
                '--list=@lists -- Also add each record to this list or process'
                '--status=@statuses -- Status of new entries in a process'
                '--list-field=@list-fields -- Map a column to a field of the list'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $everywhere
                $guards
                $http
            }
            { 'contacts duplicates', 'people duplicates', 'person duplicates', 'contact duplicates' -ccontains $_ } {
                '--min-score= -- Minimum score of a pair, from 0 to 100'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'contacts merge', 'people merge', 'person merge', 'contact merge' -ccontains $_ } {
                ':@contacts'
                ':@contacts'
                '--take= -- Use OTHER''s value of this field: first_name, last_name, organization_id or a custom field'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'organizations', 'orgs', 'companies', 'company', 'organization', 'org' -ccontains $_ } {
                'list -- List organizations'
                'get -- Get one organization'
                'show -- Show an organization with its people, entries, notes and meetings'
                'find -- Find an organization by domain or name'
                'create -- Create an organization'
                'upsert -- Update the organization with a domain or name, or create one'
                'update -- Update an organization; adds domains to the existing ones'
                'edit -- Edit an organization as YAML in an editor'
                'remove-domains -- Remove domains from an organization'
                'delete -- Delete organizations, their notes and their entries'
                'import -- Import organizations from a spreadsheet; safe to run repeatedly'
                'duplicates -- List organizations that are likely duplicates'
                'merge -- Merge an organization into another'
                'view -- view: same as show'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
                'new -- new: same as create'
                'add -- add: same as create'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'organizations list', 'organizations ls', 'orgs list', 'orgs ls', 'companies list', 'companies ls', 'company list', 'company ls', 'organization list', 'organization ls', 'org list', 'org ls' -ccontains $_ } {
                '--list=@lists -- Only records in this list or process'
                '--created-after= -- Only records created after this time'
                '--updated-after= -- Only records updated after this time'
                '--where=@sort -- Only records that match an expression, such as "created_at > 7d"; see kith help scripting'
                '--sort=@sort -- Sort by a field; -FIELD sorts in descending order. Reads the whole list first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--count -- Print the number of records'
                '--sum=@sort -- Print the sum of a field of type number or money'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'organizations get', 'orgs get', 'companies get', 'company get', 'organization get', 'org get' -ccontains $_ } {
                ':@organizations'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'organizations show', 'organizations view', 'orgs show', 'orgs view', 'companies show', 'companies view', 'company show', 'company view', 'organization show', 'organization view', 'org show', 'org view' -ccontains $_ } {
                ':@organizations'
                '--since= -- Only notes and meetings since this time'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $pages
                $output
                $everywhere
                $guards
                $http
            }
            { 'organizations find', 'orgs find', 'companies find', 'company find', 'organization find', 'org find' -ccontains $_ } {
                '--domain= -- Domain name or URL'
                '--name= -- Full name; case and spacing do not matter'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'organizations create', 'organizations new', 'organizations add', 'orgs create', 'orgs new', 'orgs add', 'companies create', 'companies new', 'companies add', 'company create', 'company new', 'company add', 'organization create', 'organization new', 'organization add', 'org create', 'org new', 'org add' -ccontains $_ } {
                ':'
                '--name= -- Name'
                '--domain= -- Domain name or URL'
                '--if-absent=domain,name -- If a record has the same value, print it instead of creating one: domain, name'
                '-f=@fields -- Set a field; NAME= clears it'
                '--field=@fields -- Set a field; NAME= clears it'
                '--data= -- Request body as JSON; other flags override it'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'organizations upsert', 'orgs upsert', 'companies upsert', 'company upsert', 'organization upsert', 'org upsert' -ccontains $_ } {
                '--name= -- Name'
                '--domain= -- Domain name or URL'
                '--by=domain,name -- Field that finds the record to update (default: the first that is set): domain, name'
                '-f=@fields -- Set a field; NAME= clears it'
                '--field=@fields -- Set a field; NAME= clears it'
                '--data= -- Request body as JSON; other flags override it'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'organizations update', 'orgs update', 'companies update', 'company update', 'organization update', 'org update' -ccontains $_ } {
                ':@organizations'
                '--name= -- Name'
                '--domain= -- Domain name or URL'
                '-f=@fields -- Set a field, replacing all its values; NAME= clears it'
                '--field=@fields -- Set a field, replacing all its values; NAME= clears it'
                '--add-field=@fields -- Add one value to a field with several values'
                '--remove-field=@fields -- Remove one value from a field with several values'
                '--data= -- Request body as JSON; other flags override it'
                '--where=@sort -- Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'organizations edit', 'orgs edit', 'companies edit', 'company edit', 'organization edit', 'org edit' -ccontains $_ } {
                ':@organizations'
                '--file=@files -- Apply a YAML file, or - for stdin, instead of opening an editor'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'organizations remove-domains', 'orgs remove-domains', 'companies remove-domains', 'company remove-domains', 'organization remove-domains', 'org remove-domains' -ccontains $_ } {
                ':@organizations'
                ':+'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'organizations delete', 'organizations rm', 'orgs delete', 'orgs rm', 'companies delete', 'companies rm', 'company delete', 'company rm', 'organization delete', 'organization rm', 'org delete', 'org rm' -ccontains $_ } {
                ':@organizations+'
                '--where=@sort -- Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'organizations import', 'orgs import', 'companies import', 'company import', 'organization import', 'org import' -ccontains $_ } {
                ':@files'
                '--map= -- Map a column to a field'
                '--ignore= -- Ignore this column'
                '--header-row= -- Row of the column headers (default: found within the first 20 rows)'
                '--sheet= -- Sheet of an .xlsx file (default: the first)'
                '--encoding= -- Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr'
                '--tz= -- Time zone of dates with a time in an .xlsx file (default: this machine''s)'
                '--strict -- Import nothing if any row is invalid'
                '--strict-columns -- Import nothing if any column has no field'
                '--report=@files -- Write the per-row report to FILE'
                '--undo -- Undo the import whose report is FILE'
                '--concurrency= -- Maximum number of rows imported at once (default 4; 1 for a workspace file); 1 creates records in row order'
                '--create-fields -- Create custom fields for unmatched columns, with the type in the header (Level:select:Gold,Silver) or the type of the values'
                '--list=@lists -- Also add each record to this list or process'
                '--status=@statuses -- Status of new entries in a process'
                '--list-field=@list-fields -- Map a column to a field of the list'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $everywhere
                $guards
                $http
            }
            { 'organizations duplicates', 'orgs duplicates', 'companies duplicates', 'company duplicates', 'organization duplicates', 'org duplicates' -ccontains $_ } {
                '--min-score= -- Minimum score of a pair, from 0 to 100'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'organizations merge', 'orgs merge', 'companies merge', 'company merge', 'organization merge', 'org merge' -ccontains $_ } {
                ':@organizations'
                ':@organizations'
                '--take= -- Use OTHER''s value of this field: name or a custom field'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'notes', 'note' -ccontains $_ } {
                'list -- List notes'
                'get -- Get one note'
                'create -- Create a note about an organization'
                'update -- Update the body or the deal of a note'
                'edit -- Edit a note as YAML in an editor'
                'import -- Import notes from a spreadsheet; safe to run repeatedly'
                'delete -- Delete notes'
                'view -- view: same as get'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
                'new -- new: same as create'
                'add -- add: same as create'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'notes list', 'notes ls', 'note list', 'note ls' -ccontains $_ } {
                '--organization=@organizations -- Only records of this organization'
                '--contact=@contacts -- Only notes about the organization of this contact'
                '--deal=@keys -- Only notes of this deal, such as DEAL-1'
                '--created-after= -- Only records created after this time'
                '--updated-after= -- Only records updated after this time'
                '--today -- Only records created today'
                '--where=@sort -- Only records that match an expression, such as "created_at > 7d"; see kith help scripting'
                '--sort=@sort -- Sort by a field; -FIELD sorts in descending order. Reads the whole list first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--count -- Print the number of records'
                '--sum=@sort -- Print the sum of a field of type number or money'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'notes get', 'notes view', 'note get', 'note view' -ccontains $_ } {
                ':@notes'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'notes create', 'notes new', 'notes add', 'note create', 'note new', 'note add' -ccontains $_ } {
                ':@organizations'
                ':'
                '--organization=@organizations -- Organization of the note'
                '--body= -- Text of the note'
                '-F=@files -- Read the text from a file, or - for stdin'
                '--body-file=@files -- Read the text from a file, or - for stdin'
                '--deal=@keys -- Deal of the note, such as DEAL-1'
                '--data= -- Request body as JSON; other flags override it'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'notes update', 'note update' -ccontains $_ } {
                ':@notes'
                '--body= -- Text of the note'
                '-F=@files -- Read the text from a file, or - for stdin'
                '--body-file=@files -- Read the text from a file, or - for stdin'
                '--deal=@keys -- Deal of the note, such as DEAL-1; '''' clears it'
                '--data= -- Request body as JSON; other flags override it'
                '--where=@sort -- Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'notes edit', 'note edit' -ccontains $_ } {
                ':@notes'
                '--file=@files -- Apply a YAML file, or - for stdin, instead of opening an editor'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'notes import', 'note import' -ccontains $_ } {
                ':@files'
                '--map= -- Map a column to a field'
                '--ignore= -- Ignore this column'
                '--header-row= -- Row of the column headers (default: found within the first 20 rows)'
                '--sheet= -- Sheet of an .xlsx file (default: the first)'
                '--encoding= -- Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr'
                '--tz= -- Time zone of dates with a time in an .xlsx file (default: this machine''s)'
                '--strict -- Import nothing if any row is invalid'
                '--strict-columns -- Import nothing if any column has no field'
                '--report=@files -- Write the per-row report to FILE'
                '--undo -- Undo the import whose report is FILE'
                '--concurrency= -- Maximum number of rows imported at once (default 4; 1 for a workspace file); 1 creates records in row order'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $everywhere
                $guards
                $http
            }
            { 'notes delete', 'notes rm', 'note delete', 'note rm' -ccontains $_ } {
                ':@notes+'
                '--where=@sort -- Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'custom-fields', 'fields', 'custom-field', 'field' -ccontains $_ } {
                'list -- List custom fields'
                'get -- Get one custom field'
                'create -- Create a custom field'
                'update -- Update the name or the options of a custom field'
                'edit -- Edit a custom field as YAML in an editor'
                'delete -- Delete custom fields and their values'
                'view -- view: same as get'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
                'new -- new: same as create'
                'add -- add: same as create'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'custom-fields list', 'custom-fields ls', 'fields list', 'fields ls', 'custom-field list', 'custom-field ls', 'field list', 'field ls' -ccontains $_ } {
                '--where=@sort -- Only records that match an expression, such as "created_at > 7d"; see kith help scripting'
                '--sort=@sort -- Sort by a field; -FIELD sorts in descending order. Reads the whole list first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--count -- Print the number of records'
                '--sum=@sort -- Print the sum of a field of type number or money'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'custom-fields get', 'custom-fields view', 'fields get', 'fields view', 'custom-field get', 'custom-field view', 'field get', 'field view' -ccontains $_ } {
                ':'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'custom-fields create', 'custom-fields new', 'custom-fields add', 'fields create', 'fields new', 'fields add', 'custom-field create', 'custom-field new', 'custom-field add', 'field create', 'field new', 'field add' -ccontains $_ } {
                ':'
                '--model=organization,contact,deal -- Record type that gets the field: organization, contact, deal'
                '--type=text,textarea,url,number,date,datetime,select,user,contact -- Data type (default text): text, textarea, url, number, date, datetime, select, user, contact'
                '--option= -- Allowed value of a select field'
                '--multiple -- Allow several values per record'
                '--if-absent=name -- If a record has the same value, print it instead of creating one: name'
                '--data= -- Request body as JSON; other flags override it'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'custom-fields update', 'fields update', 'custom-field update', 'field update' -ccontains $_ } {
                ':'
                '--name= -- New name'
                '--option= -- Allowed value of a select field'
                '--data= -- Request body as JSON; other flags override it'
                '--where=@sort -- Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'custom-fields edit', 'fields edit', 'custom-field edit', 'field edit' -ccontains $_ } {
                ':'
                '--file=@files -- Apply a YAML file, or - for stdin, instead of opening an editor'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'custom-fields delete', 'custom-fields rm', 'fields delete', 'fields rm', 'custom-field delete', 'custom-field rm', 'field delete', 'field rm' -ccontains $_ } {
                ':+'
                '--where=@sort -- Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'lists', 'list' -ccontains $_ } {
                'list -- List lists and processes'
                'get -- Get one list or process'
                'report -- Report the entries and values of a process by status or another field'
                'create -- Create a list or a process'
                'update -- Update a list or process'
                'edit -- Edit a list as YAML in an editor'
                'delete -- Delete lists or processes and their entries'
                'view -- view: same as get'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
                'new -- new: same as create'
                'add -- add: same as create'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'lists list', 'lists ls', 'list list', 'list ls' -ccontains $_ } {
                '--where=@sort -- Only records that match an expression, such as "created_at > 7d"; see kith help scripting'
                '--sort=@sort -- Sort by a field; -FIELD sorts in descending order. Reads the whole list first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--count -- Print the number of records'
                '--sum=@sort -- Print the sum of a field of type number or money'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'lists get', 'lists view', 'list get', 'list view' -ccontains $_ } {
                ':@lists'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'lists report', 'list report' -ccontains $_ } {
                ':@lists'
                '--by=@sort -- Group by assignee, organization, month or a field (default status)'
                '--organization=@organizations -- Only records of this organization'
                '--contact=@contacts -- Only records of this contact'
                '--status=@status-list -- Only entries with one of these statuses, comma-separated'
                '--open -- Only entries with a status of type active'
                '--closed -- Only entries with a status of type won or lost'
                '--won -- Only entries with a status of type won'
                '--lost -- Only entries with a status of type lost'
                '--closed-after= -- Only entries that were closed at or after this time'
                '--closed-before= -- Only entries that were closed before this time'
                '--overdue -- Only open entries with a date before today, or a time before now, in a field of the process'
                '--due-before= -- Only open entries with a date or time before this time in a field of the process'
                '--assignee= -- Only entries with this assignee: mina for mina@x.example; me is the address set with `kith config set user`'
                '--mine -- Short for --assignee me'
                '--stale= -- Only entries that have not been updated for this many days'
                '--created-after= -- Only records created after this time'
                '--updated-after= -- Only records updated after this time'
                '--where=@sort -- Only records that match an expression, such as "created_at > 7d"; see kith help scripting'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--compare=@files -- List the entries that were won, lost, moved, added or removed since the archive was made'
                '--html=@files -- Write the report as an HTML page to FILE, or - for stdout'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'lists create', 'lists new', 'lists add', 'list create', 'list new', 'list add' -ccontains $_ } {
                ':'
                '--entry-type=Contact,Organization -- Record type of its entries: Contact, Organization'
                '--process -- Create a process'
                '--field= -- A field; TYPE is text, textarea, url, number, date, datetime, select, user, contact'
                '--identifier= -- Prefix of entry keys'
                '--duplicates-allowed -- Allow several entries per record'
                '--no-duplicates -- Allow one entry per record'
                '--status= -- A status; TYPE is active, won, lost'
                '--entry-label= -- Label of an entry'
                '--status-label= -- Label of the status'
                '--if-absent=name -- If a record has the same value, print it instead of creating one: name'
                '--data= -- Request body as JSON; other flags override it'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'lists update', 'list update' -ccontains $_ } {
                ':@lists'
                '--name= -- New name'
                '--field= -- A field; TYPE is text, textarea, url, number, date, datetime, select, user, contact'
                '--identifier= -- Prefix of entry keys'
                '--duplicates-allowed -- Allow several entries per record'
                '--no-duplicates -- Allow one entry per record'
                '--status= -- A status; TYPE is active, won, lost'
                '--entry-label= -- Label of an entry'
                '--status-label= -- Label of the status'
                '--data= -- Request body as JSON; other flags override it'
                '--where=@sort -- Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'lists edit', 'list edit' -ccontains $_ } {
                ':@lists'
                '--file=@files -- Apply a YAML file, or - for stdin, instead of opening an editor'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'lists delete', 'lists rm', 'list delete', 'list rm' -ccontains $_ } {
                ':@lists+'
                '--where=@sort -- Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'deals', 'deal' -ccontains $_ } {
                'list -- List the entries of a list or process'
                'get -- Get one entry'
                'show -- Show an entry with its organization, people, notes and meetings'
                'add -- Add a contact or an organization to a list or process'
                'update -- Update an entry'
                'edit -- Edit an entry as YAML in an editor'
                'delete -- Delete entries; their contacts and organizations are kept'
                'import -- Import entries of a list or process from a spreadsheet; safe to run repeatedly'
                'move -- Change the status of a deal'
                'report -- Report the entries and values of a process by status or another field'
                'view -- view: same as show'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
                'new -- new: same as add'
                'create -- create: same as add'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'deals list', 'deals ls', 'deal list', 'deal ls' -ccontains $_ } {
                '--process=@lists -- Process: id or name (default: that of `kith config set process`, or the only one)'
                '--organization=@organizations -- Only records of this organization'
                '--contact=@contacts -- Only records of this contact'
                '--status=@status-list -- Only entries with one of these statuses, comma-separated'
                '--open -- Only entries with a status of type active'
                '--closed -- Only entries with a status of type won or lost'
                '--won -- Only entries with a status of type won'
                '--lost -- Only entries with a status of type lost'
                '--closed-after= -- Only entries that were closed at or after this time'
                '--closed-before= -- Only entries that were closed before this time'
                '--overdue -- Only open entries with a date before today, or a time before now, in a field of the process'
                '--due-before= -- Only open entries with a date or time before this time in a field of the process'
                '--assignee= -- Only entries with this assignee: mina for mina@x.example; me is the address set with `kith config set user`'
                '--mine -- Short for --assignee me'
                '--stale= -- Only entries that have not been updated for this many days'
                '--created-after= -- Only records created after this time'
                '--updated-after= -- Only records updated after this time'
                '--where=@sort -- Only records that match an expression, such as "created_at > 7d"; see kith help scripting'
                '--sort=@sort -- Sort by a field; -FIELD sorts in descending order. Reads the whole list first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--count -- Print the number of records'
                '--sum=@sort -- Print the sum of a field of type number or money'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'deals get', 'deal get' -ccontains $_ } {
                ':@keys'
                '--process=@lists -- Process: id or name (default: that of `kith config set process`, or the only one)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'deals show', 'deals view', 'deal show', 'deal view' -ccontains $_ } {
                ':@keys'
                '--process=@lists -- Process: id or name (default: that of `kith config set process`, or the only one)'
                '--since= -- Only notes and meetings since this time'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $pages
                $output
                $everywhere
                $guards
                $http
            }
            { 'deals add', 'deals new', 'deals create', 'deal add', 'deal new', 'deal create' -ccontains $_ } {
                '--process=@lists -- Process: id or name (default: that of `kith config set process`, or the only one)'
                '--contact=@contacts -- Contact to add'
                '--organization=@organizations -- Organization to add'
                '--status=@statuses -- Status of the process'
                '--assignee= -- Assignee''s email address, its part before the @, or me'
                '--contact-id=@contacts -- Contact associated with the organization'
                '--one-time-value= -- One-time value'
                '--recurring-value= -- Recurring value'
                '--recurring-period=monthly,annual,one_time -- Period of the recurring value: monthly, annual, one_time'
                '-f=@fields -- Set a field; NAME= clears it'
                '--field=@fields -- Set a field; NAME= clears it'
                '--data= -- Request body as JSON; other flags override it'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'deals update', 'deal update' -ccontains $_ } {
                ':@keys'
                '--process=@lists -- Process: id or name (default: that of `kith config set process`, or the only one)'
                '--status=@statuses -- Status of the process'
                '--assignee= -- Assignee''s email address, its part before the @, or me; '''' clears it'
                '--contact-id=@contacts -- Contact associated with the organization; '''' clears it'
                '--one-time-value= -- One-time value'
                '--recurring-value= -- Recurring value'
                '--recurring-period=monthly,annual,one_time -- Period of the recurring value: monthly, annual, one_time'
                '-f=@fields -- Set a field, replacing all its values; NAME= clears it'
                '--field=@fields -- Set a field, replacing all its values; NAME= clears it'
                '--add-field=@fields -- Add one value to a field with several values'
                '--remove-field=@fields -- Remove one value from a field with several values'
                '--data= -- Request body as JSON; other flags override it'
                '--where=@sort -- Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'deals edit', 'deal edit' -ccontains $_ } {
                ':@keys'
                '--process=@lists -- Process: id or name (default: that of `kith config set process`, or the only one)'
                '--file=@files -- Apply a YAML file, or - for stdin, instead of opening an editor'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'deals delete', 'deals rm', 'deal delete', 'deal rm' -ccontains $_ } {
                ':@keys+'
                '--process=@lists -- Process: id or name (default: that of `kith config set process`, or the only one)'
                '--where=@sort -- Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'deals import', 'deal import' -ccontains $_ } {
                ':@files'
                '--process=@lists -- Process: id or name (default: that of `kith config set process`, or the only one)'
                '--map= -- Map a column to a field'
                '--ignore= -- Ignore this column'
                '--header-row= -- Row of the column headers (default: found within the first 20 rows)'
                '--sheet= -- Sheet of an .xlsx file (default: the first)'
                '--encoding= -- Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr'
                '--tz= -- Time zone of dates with a time in an .xlsx file (default: this machine''s)'
                '--strict -- Import nothing if any row is invalid'
                '--strict-columns -- Import nothing if any column has no field'
                '--report=@files -- Write the per-row report to FILE'
                '--undo -- Undo the import with a report: entries import LIST --undo REPORT'
                '--concurrency= -- Maximum number of rows imported at once (default 4; 1 for a workspace file); 1 creates records in row order'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $everywhere
                $guards
                $http
            }
            { 'deals move', 'deal move' -ccontains $_ } {
                ':@keys'
                ':@statuses'
                '--process=@lists -- Process: id or name (default: that of `kith config set process`, or the only one)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'deals report', 'deal report' -ccontains $_ } {
                ':@lists'
                '--by=@sort -- Group by assignee, organization, month or a field (default status)'
                '--organization=@organizations -- Only records of this organization'
                '--contact=@contacts -- Only records of this contact'
                '--status=@status-list -- Only entries with one of these statuses, comma-separated'
                '--open -- Only entries with a status of type active'
                '--closed -- Only entries with a status of type won or lost'
                '--won -- Only entries with a status of type won'
                '--lost -- Only entries with a status of type lost'
                '--closed-after= -- Only entries that were closed at or after this time'
                '--closed-before= -- Only entries that were closed before this time'
                '--overdue -- Only open entries with a date before today, or a time before now, in a field of the process'
                '--due-before= -- Only open entries with a date or time before this time in a field of the process'
                '--assignee= -- Only entries with this assignee: mina for mina@x.example; me is the address set with `kith config set user`'
                '--mine -- Short for --assignee me'
                '--stale= -- Only entries that have not been updated for this many days'
                '--created-after= -- Only records created after this time'
                '--updated-after= -- Only records updated after this time'
                '--where=@sort -- Only records that match an expression, such as "created_at > 7d"; see kith help scripting'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--compare=@files -- List the entries that were won, lost, moved, added or removed since the archive was made'
                '--html=@files -- Write the report as an HTML page to FILE, or - for stdout'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'report' {
                ':@lists'
                '--by=@sort -- Group by assignee, organization, month or a field (default status)'
                '--organization=@organizations -- Only records of this organization'
                '--contact=@contacts -- Only records of this contact'
                '--status=@status-list -- Only entries with one of these statuses, comma-separated'
                '--open -- Only entries with a status of type active'
                '--closed -- Only entries with a status of type won or lost'
                '--won -- Only entries with a status of type won'
                '--lost -- Only entries with a status of type lost'
                '--closed-after= -- Only entries that were closed at or after this time'
                '--closed-before= -- Only entries that were closed before this time'
                '--overdue -- Only open entries with a date before today, or a time before now, in a field of the process'
                '--due-before= -- Only open entries with a date or time before this time in a field of the process'
                '--assignee= -- Only entries with this assignee: mina for mina@x.example; me is the address set with `kith config set user`'
                '--mine -- Short for --assignee me'
                '--stale= -- Only entries that have not been updated for this many days'
                '--created-after= -- Only records created after this time'
                '--updated-after= -- Only records updated after this time'
                '--where=@sort -- Only records that match an expression, such as "created_at > 7d"; see kith help scripting'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--compare=@files -- List the entries that were won, lost, moved, added or removed since the archive was made'
                '--html=@files -- Write the report as an HTML page to FILE, or - for stdout'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'entries', 'entry' -ccontains $_ } {
                'list -- List the entries of a list or process'
                'get -- Get one entry'
                'show -- Show an entry with its organization, people, notes and meetings'
                'add -- Add a contact or an organization to a list or process'
                'update -- Update an entry'
                'edit -- Edit an entry as YAML in an editor'
                'delete -- Delete entries; their contacts and organizations are kept'
                'import -- Import entries of a list or process from a spreadsheet; safe to run repeatedly'
                'view -- view: same as show'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
                'new -- new: same as add'
                'create -- create: same as add'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'entries list', 'entries ls', 'entry list', 'entry ls' -ccontains $_ } {
                ':@lists'
                '--organization=@organizations -- Only records of this organization'
                '--contact=@contacts -- Only records of this contact'
                '--status=@status-list -- Only entries with one of these statuses, comma-separated'
                '--open -- Only entries with a status of type active'
                '--closed -- Only entries with a status of type won or lost'
                '--won -- Only entries with a status of type won'
                '--lost -- Only entries with a status of type lost'
                '--closed-after= -- Only entries that were closed at or after this time'
                '--closed-before= -- Only entries that were closed before this time'
                '--overdue -- Only open entries with a date before today, or a time before now, in a field of the process'
                '--due-before= -- Only open entries with a date or time before this time in a field of the process'
                '--assignee= -- Only entries with this assignee: mina for mina@x.example; me is the address set with `kith config set user`'
                '--mine -- Short for --assignee me'
                '--stale= -- Only entries that have not been updated for this many days'
                '--created-after= -- Only records created after this time'
                '--updated-after= -- Only records updated after this time'
                '--where=@sort -- Only records that match an expression, such as "created_at > 7d"; see kith help scripting'
                '--sort=@sort -- Sort by a field; -FIELD sorts in descending order. Reads the whole list first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--count -- Print the number of records'
                '--sum=@sort -- Print the sum of a field of type number or money'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'entries get', 'entry get' -ccontains $_ } {
                ':@lists-and-keys'
                ':@keys'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'entries show', 'entries view', 'entry show', 'entry view' -ccontains $_ } {
                ':@lists-and-keys'
                ':@keys'
                '--since= -- Only notes and meetings since this time'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $pages
                $output
                $everywhere
                $guards
                $http
            }
            { 'entries add', 'entries new', 'entries create', 'entry add', 'entry new', 'entry create' -ccontains $_ } {
                ':@lists'
                '--contact=@contacts -- Contact to add'
                '--organization=@organizations -- Organization to add'
                '--status=@statuses -- Status of the process'
                '--assignee= -- Assignee''s email address, its part before the @, or me'
                '--contact-id=@contacts -- Contact associated with the organization'
                '--one-time-value= -- One-time value'
                '--recurring-value= -- Recurring value'
                '--recurring-period=monthly,annual,one_time -- Period of the recurring value: monthly, annual, one_time'
                '-f=@fields -- Set a field; NAME= clears it'
                '--field=@fields -- Set a field; NAME= clears it'
                '--data= -- Request body as JSON; other flags override it'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'entries update', 'entry update' -ccontains $_ } {
                ':@lists-and-keys'
                ':@keys'
                '--status=@statuses -- Status of the process'
                '--assignee= -- Assignee''s email address, its part before the @, or me; '''' clears it'
                '--contact-id=@contacts -- Contact associated with the organization; '''' clears it'
                '--one-time-value= -- One-time value'
                '--recurring-value= -- Recurring value'
                '--recurring-period=monthly,annual,one_time -- Period of the recurring value: monthly, annual, one_time'
                '-f=@fields -- Set a field, replacing all its values; NAME= clears it'
                '--field=@fields -- Set a field, replacing all its values; NAME= clears it'
                '--add-field=@fields -- Add one value to a field with several values'
                '--remove-field=@fields -- Remove one value from a field with several values'
                '--data= -- Request body as JSON; other flags override it'
                '--where=@sort -- Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'entries edit', 'entry edit' -ccontains $_ } {
                ':@lists-and-keys'
                ':@keys'
                '--file=@files -- Apply a YAML file, or - for stdin, instead of opening an editor'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'entries delete', 'entries rm', 'entry delete', 'entry rm' -ccontains $_ } {
                ':@lists-and-keys'
                ':@keys+'
                '--where=@sort -- Instead of an id: all records that match an expression, such as "created_at > 7d"; asks first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'entries import', 'entry import' -ccontains $_ } {
                ':@lists'
                ':@files'
                '--map= -- Map a column to a field'
                '--ignore= -- Ignore this column'
                '--header-row= -- Row of the column headers (default: found within the first 20 rows)'
                '--sheet= -- Sheet of an .xlsx file (default: the first)'
                '--encoding= -- Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr'
                '--tz= -- Time zone of dates with a time in an .xlsx file (default: this machine''s)'
                '--strict -- Import nothing if any row is invalid'
                '--strict-columns -- Import nothing if any column has no field'
                '--report=@files -- Write the per-row report to FILE'
                '--undo -- Undo the import with a report: entries import LIST --undo REPORT'
                '--concurrency= -- Maximum number of rows imported at once (default 4; 1 for a workspace file); 1 creates records in row order'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $everywhere
                $guards
                $http
            }
            { 'meetings', 'events', 'meeting', 'event' -ccontains $_ } {
                'list -- List recorded meetings, latest first'
                'get -- Get one meeting with its recordings'
                'show -- Show a meeting with its attendees, summary and action items'
                'summary -- Print the summary of a recording or a meeting'
                'transcript -- Print the transcript of a recording, as text or as subtitles'
                'grep -- Search the transcripts of all meetings'
                'export -- Export meeting summaries as Markdown files'
                'view -- view: same as show'
                'ls -- ls: same as list'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'meetings list', 'meetings ls', 'events list', 'events ls', 'meeting list', 'meeting ls', 'event list', 'event ls' -ccontains $_ } {
                '--updated-after= -- Only meetings updated after this time'
                '--today -- Only meetings that start today'
                '--last-week -- Only meetings that started last week, from Monday to Sunday'
                '--this-month -- Only meetings that start this month'
                '--starts-after= -- Only meetings that start at or after this time'
                '--starts-before= -- Only meetings that start before this time'
                '--contact=@contacts -- Only meetings with this contact as an attendee'
                '--organization=@organizations -- Only meetings with an attendee from this organization'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--where=@sort -- Only records that match an expression, such as "created_at > 7d"; see kith help scripting'
                '--sort=@sort -- Sort by a field; -FIELD sorts in descending order. Reads the whole list first'
                '--count -- Print the number of records'
                '--sum=@sort -- Print the sum of a field of type number or money'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'meetings get', 'events get', 'meeting get', 'event get' -ccontains $_ } {
                ':@events'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'meetings show', 'meetings view', 'events show', 'events view', 'meeting show', 'meeting view', 'event show', 'event view' -ccontains $_ } {
                ':@events'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
                $http
            }
            { 'meetings summary', 'events summary', 'meeting summary', 'event summary' -ccontains $_ } {
                ':@events'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
                $http
            }
            { 'meetings transcript', 'events transcript', 'meeting transcript', 'event transcript' -ccontains $_ } {
                ':@events'
                '--from= -- Only words that start at or after this time: 12:30, 1:02:30 or seconds'
                '--to= -- Only words that start before this time'
                '--at= -- Begin with the utterance that is spoken at this time'
                '--speaker= -- Only this speaker, by full name'
                '--timestamps -- Show the start time of each utterance (text only)'
                '--format=text,vtt,srt,json -- Output format: text, vtt, srt, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
                $http
            }
            { 'meetings grep', 'events grep', 'meeting grep', 'event grep' -ccontains $_ } {
                ':'
                '--regex -- Treat the pattern as a JavaScript regular expression'
                '-i -- Ignore case even if the pattern contains capitals'
                '--ignore-case -- Ignore case even if the pattern contains capitals'
                '--context= -- Show N seconds of context around each match'
                '--max= -- Maximum number of matches'
                '--speaker= -- Only this speaker, by full name'
                '--out=@folders -- Search this export folder instead of the service'
                '--starts-after= -- Only meetings that start at or after this time'
                '--starts-before= -- Only meetings that start before this time'
                '--contact=@contacts -- Only meetings with this contact as an attendee'
                '--organization=@organizations -- Only meetings with an attendee from this organization'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'meetings export', 'events export', 'meeting export', 'event export' -ccontains $_ } {
                'status -- Show the status of an export folder'
                'verify -- Compare an export folder with the service'
                '--out=@folders -- Output folder (created if missing)'
                '--transcript -- Include the transcript in the Markdown'
                '--with=json,vtt,srt,txt -- Additional formats to write: json, vtt, srt, txt'
                '--layout=flat,by-month,by-organization -- Folder layout: flat, by-month, by-organization'
                '--contact=@contacts -- Only meetings with this contact as an attendee'
                '--organization=@organizations -- Only meetings with an attendee from this organization'
                '--since= -- Export only meetings updated after this time'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--full -- Fetch everything again, and rebuild a damaged ledger'
                '--ledger=@files -- File that stores the states of action items, such as a shared file'
                '--prune -- Delete files of meetings no longer on the service; requires --yes for more than 10% of all files'
                '--adopt -- Take over a folder exported from this workspace with another key or base URL'
                '--settle= -- Days to keep checking for unfinished recordings'
                '--mode= -- File permissions in octal (no effect on Windows)'
                '--concurrency= -- Number of meetings to fetch in parallel'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $deletions
                $output
                $everywhere
                $guards
                $http
            }
            { 'meetings export status', 'events export status', 'meeting export status', 'event export status' -ccontains $_ } {
                ':@folders'
                '--settle= -- Days to keep checking for unfinished recordings'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
            }
            { 'meetings export verify', 'events export verify', 'meeting export verify', 'event export verify' -ccontains $_ } {
                ':@folders'
                '--settle= -- Days to keep checking for unfinished recordings'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
                $http
            }
            { 'recordings', 'recording' -ccontains $_ } {
                'get -- Get one recording with its summary and transcript'
                'summary -- Print the summary of a recording or a meeting'
                'transcript -- Print the transcript of a recording, as text or as subtitles'
                'view -- view: same as get'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'recordings get', 'recordings view', 'recording get', 'recording view' -ccontains $_ } {
                ':@events'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'recordings summary', 'recording summary' -ccontains $_ } {
                ':@events'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
                $http
            }
            { 'recordings transcript', 'recording transcript' -ccontains $_ } {
                ':@events'
                '--from= -- Only words that start at or after this time: 12:30, 1:02:30 or seconds'
                '--to= -- Only words that start before this time'
                '--at= -- Begin with the utterance that is spoken at this time'
                '--speaker= -- Only this speaker, by full name'
                '--timestamps -- Show the start time of each utterance (text only)'
                '--format=text,vtt,srt,json -- Output format: text, vtt, srt, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
                $http
            }
            { 'actions', 'action' -ccontains $_ } {
                'list -- List the action items of all meetings, latest first'
                'done -- Mark action items as done'
                'reopen -- Mark action items as open again'
                'ls -- ls: same as list'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'actions list', 'actions ls', 'action list', 'action ls' -ccontains $_ } {
                '--open -- Only items that are not done'
                '--done -- Only items that are done'
                '--mine -- Only items that begin with your name'
                '--since= -- Only items of meetings that start at or after this time'
                '--organization=@organizations -- Only items of meetings with an attendee from this organization'
                '--where=@sort -- Only records that match an expression, such as "created_at > 7d"; see kith help scripting'
                '--sort=@sort -- Sort by a field; -FIELD sorts in descending order. Reads the whole list first'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--count -- Print the number of records'
                '--max-age= -- Update the index first if it is older than this: 30m, 24h, 7d, or 0 for always (default 1h)'
                '--ledger=@files -- File that stores the states of action items, such as a shared file'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'actions done', 'action done' -ccontains $_ } {
                ':+'
                '--ledger=@files -- File that stores the states of action items, such as a shared file'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $everywhere
                $guards
                $http
            }
            { 'actions reopen', 'action reopen' -ccontains $_ } {
                ':+'
                '--ledger=@files -- File that stores the states of action items, such as a shared file'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $everywhere
                $guards
                $http
            }
            'today' {
                '--date= -- Show this day instead of today'
                '--user= -- User whose day is shown: email address, or its part before the @; me is the address set with `kith config set user`. If neither is set, everyone'
                '--field= -- Only deals with a date in this field'
                '--stale= -- Also show open deals that have not been updated for this many days (default 30)'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--max-age= -- Update the index first if it is older than this: 30m, 24h, 7d, or 0 for always (default 1h)'
                '--ledger=@files -- File that stores the states of action items, such as a shared file'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'brief' {
                ':@subjects'
                '--html=@files -- Write the brief as an HTML page to FILE, or - for stdout'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--max-age= -- Update the index first if it is older than this: 30m, 24h, 7d, or 0 for always (default 1h)'
                '--ledger=@files -- File that stores the states of action items, such as a shared file'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'followup' {
                '--organization=@organizations -- Only this organization'
                '--contact=@contacts -- Only this contact, or the organization of the contact'
                '--explain -- Show the parts of each score'
                '--mine -- Only your promises, deals and meetings; short for --user me'
                '--user= -- Only the promises, deals and meetings of this user'
                '--snooze= -- Hide the contact or organization for this time, such as 7d, or until a day'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--max-age= -- Update the index first if it is older than this: 30m, 24h, 7d, or 0 for always (default 1h)'
                '--ledger=@files -- File that stores the states of action items, such as a shared file'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'search', 'find' -ccontains $_ } {
                ':+'
                '--in= -- Search only these kinds, comma-separated: contacts, organizations, entries, notes, meetings'
                '--since= -- Only meetings that start, and records updated, at or after this time'
                '--tz= -- Time zone for dates and times without one (default: this machine''s)'
                '--max-age= -- Update the index first if it is older than this: 30m, 24h, 7d, or 0 for always (default 1h)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'undo' {
                ':'
                '--list -- List the recorded commands instead'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $everywhere
                $guards
                $http
            }
            'redo' {
                ':'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $everywhere
                $guards
                $http
            }
            'batch' {
                ':@files'
                '--line= -- Line to run instead of a file'
                '--parallel= -- Run up to N lines at once; a line waits for the lines that it refers to'
                '--stop-on-error -- Stop at the first line that fails'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'api' {
                ':'
                '-X=GET,POST,PATCH,DELETE -- HTTP method (default GET, or POST with fields or a body): GET, POST, PATCH, DELETE'
                '--method=GET,POST,PATCH,DELETE -- HTTP method (default GET, or POST with fields or a body): GET, POST, PATCH, DELETE'
                '-f= -- A field of the body, as text'
                '--raw-field= -- A field of the body, as text'
                '-F= -- A field of the body: true, false, null, a number, @FILE for its text, or text'
                '--field= -- A field of the body: true, false, null, a number, @FILE for its text, or text'
                '--input=@files -- Read the request body from a file, or - for stdin'
                '--paginate -- Fetch all pages of a list and print one array'
                '--format=json,ndjson -- Output format: json, ndjson'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $everywhere
                $guards
                $http
            }
            'auth' {
                'login -- Sign in to a hosted service or create a local workspace'
                'status -- Show the active workspace and its key, and check that they work'
                'list -- List profiles'
                'switch -- Switch to another profile'
                'logout -- Remove a profile and its key; workspace files and databases are kept'
                'ls -- ls: same as list'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'auth login' {
                '--key-stdin -- Read the API key from stdin'
                '--keychain -- Store the API key in the system keychain'
                '--local -- Use a local workspace: a file, or a PostgreSQL database'
                '--database=@files -- Workspace file or PostgreSQL URL'
                '--demo -- Fill the workspace with sample data'
                '--region= -- Country of phone numbers without a country code (default US)'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
                $http
            }
            'auth status' {
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'auth list', 'auth ls' -ccontains $_ } {
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
            }
            'auth switch' {
                ':@profiles'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
            }
            'auth logout' {
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $deletions
                $output
                $everywhere
                $guards
            }
            'serve' {
                '--database=@files -- Workspace file or PostgreSQL URL'
                '--demo -- Use the sample workspace'
                '--host= -- Address to listen on'
                '--port= -- Port to listen on; 0 selects a free port'
                '--metrics-port= -- Port for /metrics without a key; if omitted, on --port with a key'
                '--tls-cert=@files -- TLS certificate (PEM)'
                '--tls-key=@files -- TLS private key (PEM)'
                '--drain= -- Time to accept requests on open connections after SIGTERM (default 5)'
                '--behind-proxy -- Allow plain HTTP on any address, behind a TLS proxy'
                '--rate-limit= -- Maximum requests per key and minute; on PostgreSQL, all processes share it'
                '--pool-size= -- Maximum connections to PostgreSQL (default 10)'
                '--statement-timeout= -- Time limit for a PostgreSQL statement (default 30)'
                '--lenient -- Ignore unknown fields in request bodies; return the existing entry if a record is added again with equal values'
                '--fault= -- Fail some requests to test scripts: a fault and its probability, or `slow` and a delay, comma-separated'
                '--seed= -- Repeat the faults of an earlier run, which printed this seed'
                '--region= -- Country of phone numbers without a country code (default US)'
                '--log-format=text,json -- Log format on stderr: text, json'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
            }
            'migrate' {
                '--database=@files -- Workspace file or PostgreSQL URL'
                '--demo -- Use the sample workspace'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
            }
            'keys' {
                'create -- Create an API key for `kith serve`; it is shown once'
                'list -- List API keys, without their secrets'
                'revoke -- Revoke an API key; takes effect immediately'
                'ls -- ls: same as list'
                'new -- new: same as create'
                'add -- add: same as create'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'keys create', 'keys new', 'keys add' -ccontains $_ } {
                ':'
                '--read-only -- Create a read-only key'
                '--database=@files -- Workspace file or PostgreSQL URL'
                '--demo -- Use the sample workspace'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
            }
            { 'keys list', 'keys ls' -ccontains $_ } {
                '--database=@files -- Workspace file or PostgreSQL URL'
                '--demo -- Use the sample workspace'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
            }
            'keys revoke' {
                ':'
                '--database=@files -- Workspace file or PostgreSQL URL'
                '--demo -- Use the sample workspace'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $deletions
                $output
                $records
                $everywhere
                $guards
            }
            'workspace' {
                'info -- Show the user, time zone, guards, lists, fields and assignees of the workspace'
                'backup -- Back up the whole workspace to an archive'
                'verify -- Check an archive for damage and missing records'
                'copy -- Copy a workspace to another one, or to an archive'
                'diff -- Compare two workspaces or archives'
                'pull -- Copy a hosted workspace to this machine, to read it with --offline'
                'checkout -- Write the records of a workspace as files, or bring the files up to date'
                'status -- List the files of a working copy that differ from the service'
                'push -- Send the changes in the files of a working copy to the service'
                'import-events -- Import the meetings of a calendar into a local workspace'
                'import-recording -- Add or replace the transcript and summary of a meeting in a local workspace'
                'remove-recording -- Remove recordings from a local workspace'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'workspace info' {
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'workspace backup' {
                ':@folders'
                '--archive=@files -- Write the archive to a .tar.gz file'
                '--keep= -- Number of older states to keep in the folder'
                '--force -- Write to a folder or file with other contents'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
                $http
            }
            'workspace verify' {
                ':@files'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
            }
            'workspace copy' {
                ':@files'
                ':@files'
                '--verbose -- Print each record instead of counts'
                '--concurrency= -- Maximum number of records written at once (default 4; 1 for a workspace file)'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'workspace diff' {
                ':@files'
                ':@files'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'workspace pull' {
                '--remove -- Remove the offline copy'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
                $http
            }
            'workspace checkout' {
                ':@folders'
                '--only=contacts,organizations,lists,custom-fields,meetings -- Only these folders, comma-separated: contacts, organizations, lists, custom-fields, meetings'
                '--overwrite -- Replace files that you edited, and restore files that you deleted'
                '--force -- Allow a new working copy in a folder with other files'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $deletions
                $output
                $everywhere
                $guards
                $http
            }
            'workspace status' {
                ':@folders'
                '--local -- Compare only the files, without reading the service'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'workspace push' {
                ':@folders'
                '--delete= -- Number of deleted files; required for more than three files that are more than 10 % of a kind, or for all files of a folder'
                '--overwrite -- Send conflicts too: the values in the files replace the values on the service'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'workspace import-events' {
                ':@files'
                '--encoding= -- Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr'
                '--database=@files -- Workspace file or PostgreSQL URL'
                '--demo -- Use the sample workspace'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
            }
            'workspace import-recording' {
                ':'
                ':@files'
                '--summary=@files -- Summary file'
                '--language= -- Language of a .vtt or .srt file (default und)'
                '--recording= -- Update this recording of the meeting'
                '--add -- Add another recording to the meeting'
                '--encoding= -- Encoding of a text file that is not Unicode, such as windows-1252 or euc-kr'
                '--database=@files -- Workspace file or PostgreSQL URL'
                '--demo -- Use the sample workspace'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
            }
            'workspace remove-recording' {
                ':+'
                '--database=@files -- Workspace file or PostgreSQL URL'
                '--demo -- Use the sample workspace'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $records
                $everywhere
                $guards
            }
            'schedule' {
                'install -- Install a schedule in cron, systemd or launchd'
                'list -- List installed schedules with their next and last runs'
                'run -- Run an installed schedule now, as its scheduler does'
                'remove -- Remove a schedule from its scheduler, with its log'
                'ls -- ls: same as list'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'schedule install' {
                ':'
                ':+'
                '--every= -- Run at this interval, starting at midnight: 1m to 30m, or 1h to 12h'
                '--hourly= -- Run every hour at this minute'
                '--daily= -- Run every day at this time'
                '--weekly= -- Run every week on these days at this time, such as "mon 07:30", "mon,thu 07:30" or "mon-fri 07:30"'
                '--monthly= -- Run every month on these days at this time, such as "1 03:00" or "1,15 03:00"; a day is skipped in months that do not have it'
                '--for=cron,systemd,launchd -- Scheduler (default: launchd on macOS, systemd if it runs for this user, or else cron): cron, systemd, launchd'
                '--on-failure= -- Run this shell command if the job fails, with KITH_SCHEDULE, KITH_EXIT_CODE, KITH_ERROR and KITH_LOG in its environment'
                '--after-failures= -- Print a failure and run the --on-failure command only from the Nth failure in a row (default 1)'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $everywhere
                $guards
            }
            { 'schedule list', 'schedule ls' -ccontains $_ } {
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
            }
            'schedule run' {
                ':@schedules'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
            }
            'schedule remove' {
                ':@schedules'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $output
                $everywhere
                $guards
            }
            'index' {
                'update -- Update the search index from the service'
                'status -- Show the size and age of the search index'
                'clear -- Remove the search index'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'index update' {
                '--full -- Read everything again, including unchanged meetings'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
                $http
            }
            'index status' {
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'index clear' {
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
                $http
            }
            'config' {
                'list -- Show flag defaults, your overrides and other settings'
                'get -- Print the effective default of a flag, or another setting'
                'set -- Set the default of a flag, or another setting'
                'unset -- Reset a flag or another setting to its built-in default'
                'path -- Print the path of the settings file'
                'view -- view: same as get'
                'ls -- ls: same as list'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            { 'config list', 'config ls' -ccontains $_ } {
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
            }
            { 'config get', 'config view' -ccontains $_ } {
                ':limit,page-size,timeout,retries,max-wait,format,undo,user,process,currency,followup-weights,readonly,allow,max-writes,max-requests'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
            }
            'config set' {
                ':limit,page-size,timeout,retries,max-wait,format,undo,user,process,currency,followup-weights,readonly,allow,max-writes,max-requests'
                ':'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
            }
            'config unset' {
                ':limit,page-size,timeout,retries,max-wait,format,undo,user,process,currency,followup-weights,readonly,allow,max-writes,max-requests'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
            }
            'config path' {
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
            }
            'alias' {
                'set -- Define a short name for a command with its flags'
                'list -- List aliases'
                'delete -- Delete an alias'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'alias set' {
                ':'
                ':'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
            }
            { 'alias list', 'alias ls' -ccontains $_ } {
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
            }
            { 'alias delete', 'alias rm' -ccontains $_ } {
                ':@aliases'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
            }
            'doctor' {
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'version' {
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
            }
            'mcp' {
                '--allow-write -- Also serve tools that create, update, delete and undo'
                '--tools=@toolsets -- Serve only these tools, comma-separated: names, patterns such as records_*, or the sets read, contacts, organizations, notes, deals, lists, and meetings'
                '--max-chars= -- Maximum length of the text of a result, in characters'
                '--max-tokens= -- Maximum length in estimated tokens instead: a token is 4 Latin characters or 1 other character'
                '--results=both,text,structured -- Parts of a result to send; both parts have the same data: both, text, structured'
                '--http -- Serve over HTTP (Streamable HTTP) instead of stdin and stdout'
                '--host= -- Loopback address to listen on, with --http'
                '--port= -- Port to listen on, with --http; 0 selects a free port'
                '--allow-origin= -- Origin of a web page or a proxy that may connect, with --http'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
                $http
            }
            'agents' {
                'install -- Write a skill file that teaches agents to use kith'
                'list -- List agents and their skill files'
                'remove -- Remove kith''s skill files'
                'show -- Print the skill file'
                'view -- view: same as show'
                'ls -- ls: same as list'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $writing
                $deletions
                $limit
                $paging
                $pages
                $output
                $records
                $everywhere
                $guards
                $http
            }
            'agents install' {
                ':+'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $deletions
                $output
                $records
                $everywhere
                $guards
            }
            { 'agents list', 'agents ls' -ccontains $_ } {
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
            }
            'agents remove' {
                ':+'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $deletions
                $output
                $records
                $everywhere
                $guards
            }
            { 'agents show', 'agents view' -ccontains $_ } {
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
            }
            'commands' {
                ':'
                ':'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
            }
            'schema' {
                ':contacts,organizations,notes,custom-fields,lists,entries,events,recordings,actions,commands,error,envelope,compact,request,deletion,write-result,batch-line,figures,contact-overview,organization-overview,entry-overview,event-overview,summary,recording-summary,utterance,recording-transcript,transcript-match,search-result,day,brief,changed-action,follow-up,snoozed,duplicate-pair,report-status,report-group,report-change,export-result,export-status,verified-export,import-result,import-row,import-revert,revert,recorded-command,api-response,login,auth-status,profile,chosen-profile,stopped-server,migration,key,workspace,backup-result,archive-check,planned-copy,copied-table,incomplete-copy,merged-copy,difference,pull-result,removal,checkout-result,file-status,pushed-file,imported-event,imported-recording,removable-recording,installed-schedule,schedule,scheduled-run,removed-schedule,index-update,index-status,setting,changed-setting,path,alias,finding,version,agent,skill,schema-title,schema,completion'
                '--format=table,json,ndjson,compact,csv,tsv,md,html,xlsx -- Output format: table, json, ndjson, compact, csv, tsv, md, html, xlsx'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $records
                $everywhere
                $guards
            }
            'completion' {
                ':bash,zsh,fish,powershell'
                '--format=text,json -- Output format: text, json'
                '-h -- Print help'
                '--help -- Print help'
                $output
                $everywhere
                $guards
            }
            'help' {
                'contacts -- Find, create, update, delete and import contacts'
                'organizations -- Find, create, update, delete and import organizations'
                'notes -- Manage notes about organizations'
                'custom-fields -- Manage custom fields of contacts, organizations and deals'
                'lists -- Manage lists and processes, and report on a process'
                'deals -- Find, add, move and import the deals of a process: its entries'
                'report -- Report the deals and values of a process by status or another field'
                'entries -- Manage the entries of a list or process'
                'meetings -- List, show, search and export recorded meetings'
                'recordings -- Print summaries and transcripts of recordings'
                'actions -- List the action items of all meetings, and mark them as done'
                'today -- Show the meetings, due deals and open action items of a day'
                'brief -- Show what to know before a call: people, deals, promises and changes'
                'followup -- Show whom to contact next, with the reasons'
                'search -- Search contacts, organizations, entries, notes and meetings'
                'undo -- Revert the last command that changed the workspace'
                'redo -- Revert the last undo'
                'batch -- Run the commands in a file, one per line'
                'api -- Send any request to the API'
                'auth -- Sign in to workspaces and switch between profiles'
                'serve -- Serve a local workspace over HTTP'
                'migrate -- Update the schema of a workspace'
                'keys -- Manage the API keys of a local workspace'
                'workspace -- Show, back up, copy and compare workspaces, and import calendars and recordings'
                'schedule -- Schedule commands with cron, systemd or launchd'
                'index -- Update, inspect and remove the local search index'
                'config -- Manage flag defaults and other settings'
                'alias -- Define short names for commands with their flags'
                'doctor -- Check the installation, settings, key and service'
                'version -- Print the version, its build, and the version of Node.js'
                'mcp -- Serve the workspace to AI agents as MCP tools'
                'agents -- Install a skill file that teaches agents to use kith'
                'commands -- List all commands with their arguments and flags, as JSON for programs'
                'schema -- Print the JSON Schema of a record, or of another JSON document'
                'completion -- Generate completion scripts for bash, zsh, fish and PowerShell'
                'people -- people: same as contacts'
                'companies -- companies: same as organizations'
                'find -- find: same as search'
                'all -- all commands and topics'
                'records -- create, edit, delete and undo'
                'export -- export meetings to files'
                'import -- import spreadsheets'
                'backup -- back up, copy, compare, read offline'
                'files -- edit records as files'
                'scripting -- formats, paging, retries, exit codes'
                'configuration -- profiles, keys, aliases, files'
                'service -- serve a workspace'
                'reliability -- what happens when something fails'
                'stability -- interfaces that do not change before the next major version'
                'flags -- the flags that commands share'
                'environment -- the environment variables that kith reads'
                'exit-codes -- the meaning of each exit code'
            }
            { 'help contacts', 'help people', 'help person', 'help contact' -ccontains $_ } {
                'list -- List contacts'
                'get -- Get one contact'
                'show -- Show a contact with its organization, entries, notes and meetings'
                'find -- Find a contact by email or phone number'
                'create -- Create a contact'
                'upsert -- Update the contact with an email, phone number or name, or create one'
                'update -- Update a contact; adds emails to the existing ones'
                'edit -- Edit a contact as YAML in an editor'
                'remove-emails -- Remove email addresses from a contact'
                'delete -- Delete contacts and their entries'
                'import -- Import contacts from a spreadsheet; safe to run repeatedly'
                'duplicates -- List contacts that are likely duplicates'
                'merge -- Merge a contact into another'
                'view -- view: same as show'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
                'new -- new: same as create'
                'add -- add: same as create'
            }
            { 'help organizations', 'help orgs', 'help companies', 'help company', 'help organization', 'help org' -ccontains $_ } {
                'list -- List organizations'
                'get -- Get one organization'
                'show -- Show an organization with its people, entries, notes and meetings'
                'find -- Find an organization by domain or name'
                'create -- Create an organization'
                'upsert -- Update the organization with a domain or name, or create one'
                'update -- Update an organization; adds domains to the existing ones'
                'edit -- Edit an organization as YAML in an editor'
                'remove-domains -- Remove domains from an organization'
                'delete -- Delete organizations, their notes and their entries'
                'import -- Import organizations from a spreadsheet; safe to run repeatedly'
                'duplicates -- List organizations that are likely duplicates'
                'merge -- Merge an organization into another'
                'view -- view: same as show'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
                'new -- new: same as create'
                'add -- add: same as create'
            }
            { 'help notes', 'help note' -ccontains $_ } {
                'list -- List notes'
                'get -- Get one note'
                'create -- Create a note about an organization'
                'update -- Update the body or the deal of a note'
                'edit -- Edit a note as YAML in an editor'
                'import -- Import notes from a spreadsheet; safe to run repeatedly'
                'delete -- Delete notes'
                'view -- view: same as get'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
                'new -- new: same as create'
                'add -- add: same as create'
            }
            { 'help custom-fields', 'help fields', 'help custom-field', 'help field' -ccontains $_ } {
                'list -- List custom fields'
                'get -- Get one custom field'
                'create -- Create a custom field'
                'update -- Update the name or the options of a custom field'
                'edit -- Edit a custom field as YAML in an editor'
                'delete -- Delete custom fields and their values'
                'view -- view: same as get'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
                'new -- new: same as create'
                'add -- add: same as create'
            }
            { 'help lists', 'help list' -ccontains $_ } {
                'list -- List lists and processes'
                'get -- Get one list or process'
                'report -- Report the entries and values of a process by status or another field'
                'create -- Create a list or a process'
                'update -- Update a list or process'
                'edit -- Edit a list as YAML in an editor'
                'delete -- Delete lists or processes and their entries'
                'view -- view: same as get'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
                'new -- new: same as create'
                'add -- add: same as create'
            }
            { 'help deals', 'help deal' -ccontains $_ } {
                'list -- List the entries of a list or process'
                'get -- Get one entry'
                'show -- Show an entry with its organization, people, notes and meetings'
                'add -- Add a contact or an organization to a list or process'
                'update -- Update an entry'
                'edit -- Edit an entry as YAML in an editor'
                'delete -- Delete entries; their contacts and organizations are kept'
                'import -- Import entries of a list or process from a spreadsheet; safe to run repeatedly'
                'move -- Change the status of a deal'
                'report -- Report the entries and values of a process by status or another field'
                'view -- view: same as show'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
                'new -- new: same as add'
                'create -- create: same as add'
            }
            { 'help entries', 'help entry' -ccontains $_ } {
                'list -- List the entries of a list or process'
                'get -- Get one entry'
                'show -- Show an entry with its organization, people, notes and meetings'
                'add -- Add a contact or an organization to a list or process'
                'update -- Update an entry'
                'edit -- Edit an entry as YAML in an editor'
                'delete -- Delete entries; their contacts and organizations are kept'
                'import -- Import entries of a list or process from a spreadsheet; safe to run repeatedly'
                'view -- view: same as show'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
                'new -- new: same as add'
                'create -- create: same as add'
            }
            { 'help meetings', 'help events', 'help meeting', 'help event' -ccontains $_ } {
                'list -- List recorded meetings, latest first'
                'get -- Get one meeting with its recordings'
                'show -- Show a meeting with its attendees, summary and action items'
                'summary -- Print the summary of a recording or a meeting'
                'transcript -- Print the transcript of a recording, as text or as subtitles'
                'grep -- Search the transcripts of all meetings'
                'export -- Export meeting summaries as Markdown files'
                'view -- view: same as show'
                'ls -- ls: same as list'
            }
            { 'help meetings export', 'help events export', 'help meeting export', 'help event export' -ccontains $_ } {
                'status -- Show the status of an export folder'
                'verify -- Compare an export folder with the service'
            }
            { 'help recordings', 'help recording' -ccontains $_ } {
                'get -- Get one recording with its summary and transcript'
                'summary -- Print the summary of a recording or a meeting'
                'transcript -- Print the transcript of a recording, as text or as subtitles'
                'view -- view: same as get'
            }
            { 'help actions', 'help action' -ccontains $_ } {
                'list -- List the action items of all meetings, latest first'
                'done -- Mark action items as done'
                'reopen -- Mark action items as open again'
                'ls -- ls: same as list'
            }
            'help auth' {
                'login -- Sign in to a hosted service or create a local workspace'
                'status -- Show the active workspace and its key, and check that they work'
                'list -- List profiles'
                'switch -- Switch to another profile'
                'logout -- Remove a profile and its key; workspace files and databases are kept'
                'ls -- ls: same as list'
            }
            'help keys' {
                'create -- Create an API key for `kith serve`; it is shown once'
                'list -- List API keys, without their secrets'
                'revoke -- Revoke an API key; takes effect immediately'
                'ls -- ls: same as list'
                'new -- new: same as create'
                'add -- add: same as create'
            }
            'help workspace' {
                'info -- Show the user, time zone, guards, lists, fields and assignees of the workspace'
                'backup -- Back up the whole workspace to an archive'
                'verify -- Check an archive for damage and missing records'
                'copy -- Copy a workspace to another one, or to an archive'
                'diff -- Compare two workspaces or archives'
                'pull -- Copy a hosted workspace to this machine, to read it with --offline'
                'checkout -- Write the records of a workspace as files, or bring the files up to date'
                'status -- List the files of a working copy that differ from the service'
                'push -- Send the changes in the files of a working copy to the service'
                'import-events -- Import the meetings of a calendar into a local workspace'
                'import-recording -- Add or replace the transcript and summary of a meeting in a local workspace'
                'remove-recording -- Remove recordings from a local workspace'
            }
            'help schedule' {
                'install -- Install a schedule in cron, systemd or launchd'
                'list -- List installed schedules with their next and last runs'
                'run -- Run an installed schedule now, as its scheduler does'
                'remove -- Remove a schedule from its scheduler, with its log'
                'ls -- ls: same as list'
            }
            'help index' {
                'update -- Update the search index from the service'
                'status -- Show the size and age of the search index'
                'clear -- Remove the search index'
            }
            'help config' {
                'list -- Show flag defaults, your overrides and other settings'
                'get -- Print the effective default of a flag, or another setting'
                'set -- Set the default of a flag, or another setting'
                'unset -- Reset a flag or another setting to its built-in default'
                'path -- Print the path of the settings file'
                'view -- view: same as get'
                'ls -- ls: same as list'
            }
            'help alias' {
                'set -- Define a short name for a command with its flags'
                'list -- List aliases'
                'delete -- Delete an alias'
                'ls -- ls: same as list'
                'rm -- rm: same as delete'
            }
            'help agents' {
                'install -- Write a skill file that teaches agents to use kith'
                'list -- List agents and their skill files'
                'remove -- Remove kith''s skill files'
                'show -- Print the skill file'
                'view -- view: same as show'
                'ls -- ls: same as list'
            }
        }
    }

    # Returns the candidates for the value of a flag, from the lines in $syntax; $null if it takes no value.
    function Get-KithOffer([string] $flag) {
        foreach ($line in $syntax) {
            if ($line -cmatch '^(-[^= ]*)=(\S*) -- ' -and $Matches[1] -ceq $flag) { return $Matches[2] }
        }
    }

    # Returns the names that the program reads from files on this machine, in UTF-8, with a tab before a description;
    # none if it fails.
    function Get-KithNames([string] $source, [string] $typedText) {
        $encoding = [Console]::OutputEncoding
        $exitCode = $global:LASTEXITCODE
        try {
            [Console]::OutputEncoding = [System.Text.Encoding]::UTF8
            & $program complete $source "--word=$typedText" "--command=$path" @context 2>$null
        }
        catch { }
        finally {
            [Console]::OutputEncoding = $encoding
            $global:LASTEXITCODE = $exitCode
        }
    }

    # The words before the cursor, without quotes, and the part of the current word that is before the cursor.
    $typed = @()
    $word = ''
    foreach ($element in $commandAst.CommandElements) {
        $extent = $element.Extent
        if ($extent.EndOffset -lt $cursorPosition) {
            $isString = $element -is [System.Management.Automation.Language.StringConstantExpressionAst]
            $typed += if ($isString) { $element.Value } else { $extent.Text }
        }
        elseif ($extent.StartOffset -lt $cursorPosition) {
            $word = $extent.Text.Substring(0, $cursorPosition - $extent.StartOffset)
            if ($word -match "^'") { $word = $word.Substring(1).Replace("''", "'") }
            else { $word = $word -replace '^"', '' -replace '`(.)', '$1' }
        }
    }
    $program = $typed | Select-Object -First 1

    $path = ''
    $syntax = @(Get-KithSyntax '')
    $place = 0
    $awaiting = ''
    $offer = ''
    $ended = $false
    $context = @()
    foreach ($before in ($typed | Select-Object -Skip 1)) {
        if ($awaiting) {
            $context += "$awaiting=$before"
            $awaiting = ''
        }
        elseif ($ended -or $before -notmatch '^-.') {
            if (@($syntax -match '^\w').Count -gt 0) {
                $path = "$path $before".Trim()
                $syntax = @(Get-KithSyntax $path)
            }
            else {
                # The first argument may be a list. A flag would follow it.
                if ($place -eq 0) { $context = @("--list=$before") + $context }
                $place++
            }
        }
        elseif ($before -ceq '--') { $ended = $true }
        elseif ($before -like '--*=*') { $context += $before }
        else {
            $offer = Get-KithOffer $before
            if ($null -ne $offer) { $awaiting = $before }
        }
    }
    $context = @($context -cmatch '^--(profile|base-url|list)=.')

    # Each candidate is a text and its description.
    $candidates = @()
    $start = ''
    if ($awaiting) {
        # The cursor is at the value of a flag.
    }
    elseif (-not $ended -and $word -match '^(--[^=]+)=') {
        $start = $Matches[0]
        $offer = Get-KithOffer $Matches[1]
    }
    elseif (-not $ended -and $word -like '-*') {
        $offer = ''
        foreach ($line in ($syntax -match '^-')) {
            $flag, $summary = $line -split ' -- ', 2
            $candidates += , @(($flag -replace '=.*', ''), $summary)
        }
    }
    elseif (@($syntax -match '^\w').Count -gt 0) {
        $offer = ''
        foreach ($line in ($syntax -match '^\w')) { $candidates += , @($line -split ' -- ', 2) }
        if (-not $path) { foreach ($name in (Get-KithNames 'aliases' $word)) { $candidates += , @($name, $name) } }
    }
    else {
        $places = @($syntax -match '^:')
        if ($places.Count -gt 0 -and $place -ge $places.Count -and $places[-1].EndsWith('+')) { $place = $places.Count - 1 }
        $offer = if ($place -lt $places.Count) { $places[$place].Trim(':', '+') } else { '' }
    }

    # Without any output PowerShell completes paths itself. An empty text prevents that.
    if ($offer -ceq '@files' -or $offer -ceq '@folders') { return }
    $values = if ($offer -like '@*') { Get-KithNames ($offer.Substring(1)) ($word.Substring($start.Length)) }
    elseif ($offer) { $offer -split ',' }
    foreach ($line in $values) {
        $value, $summary = $line -split "`t", 2
        $candidates += , @("$start$value", $(if ($summary) { $summary } else { $value }))
    }

    $results = foreach ($candidate in $candidates) {
        $text, $summary = $candidate
        if (-not $text.StartsWith($word, [System.StringComparison]::OrdinalIgnoreCase)) { continue }
        $inserted = if ($text -match '[^\w./:=-]') { "'" + $text.Replace("'", "''") + "'" } else { $text }
        [System.Management.Automation.CompletionResult]::new($inserted, $text, 'ParameterValue', $summary)
    }
    if ($results) { $results } else { '' }
}
