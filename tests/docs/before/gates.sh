# Runs of three subjects on the same items.
{
    echo item,model,accuracy
    for n in $(seq 600); do
        echo $n,gpt-4.1,$((n % 2))
        echo $n,medlm,$((n % 3 > 0))
        echo $n,llama3,$((n % 5 > 0))
    done
} > runs.csv
for name in run main-run pr-run before after; do
    judica import runs.csv --as table --item item --subject model --metric accuracy --run $name
done
